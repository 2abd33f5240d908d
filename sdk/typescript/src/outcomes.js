// The outcomes of an attempt other than a result; types.d.ts documents them.

export class Outcome extends Error {
  /** @param {string} [message] */
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

export class Retry extends Outcome {
  /**
   * @param {string} [message]
   * @param {{ after?: number, code?: string, details?: unknown }} [options]
   */
  constructor(message = "", { after, code, details } = {}) {
    super(message);
    this.after = after;
    this.code = code;
    this.details = details;
  }
}

export class Fatal extends Outcome {
  /** @param {string} [message] @param {{ code?: string, details?: unknown }} [options] */
  constructor(message = "", { code, details } = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export class Release extends Outcome {
  /** @param {{ after?: number }} [options] */
  constructor({ after } = {}) {
    super("released");
    this.after = after;
  }
}

export class HandOff extends Outcome {
  /** @param {{ timeout?: number }} [options] */
  constructor({ timeout } = {}) {
    super("handed off");
    this.timeout = timeout;
  }
}

export class Canceled extends Outcome {
  constructor(message = "canceled") {
    super(message);
  }
}
