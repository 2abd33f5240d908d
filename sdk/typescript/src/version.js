// As package.json says it too.
export const version = "0.1.0";
