// The errors of this package; types.d.ts documents them.

export class LongshoreError extends Error {
  /** @param {string} [message] @param {ErrorOptions} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class Unreachable extends LongshoreError {}
export class LeaseLost extends LongshoreError {}
export class WaitTimeout extends LongshoreError {}

export class ApiError extends LongshoreError {
  /** @param {number} status @param {Record<string, any>} problem @param {number} [retryAfter] */
  constructor(status, problem, retryAfter = 0) {
    const code = String(problem.code ?? "INTERNAL");
    const detail = String(problem.detail ?? problem.title ?? "");
    /** @type {{ field: string, detail: string }[]} */
    const errors = Array.isArray(problem.errors) ? problem.errors : [];
    const named = errors.map((e) => `${e.field}: ${e.detail}`);
    const fields = named.filter((one) => !detail.includes(one)).join("; ");
    super(`${status} ${code}: ${detail}${fields && ` (${fields})`}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    this.problem = problem;
    this.retryAfter = retryAfter;
  }
}

export class JobFailed extends LongshoreError {
  /** @param {string} jobId @param {{ code?: string, message?: string }} [error] */
  constructor(jobId, error = {}) {
    super(`job ${jobId} failed: ${error.code}: ${error.message}`);
    this.jobId = jobId;
    this.code = error.code;
    this.detail = error.message;
  }
}

export class JobCanceled extends LongshoreError {
  /** @param {string} jobId @param {{ code?: string, message?: string }} [error] */
  constructor(jobId, error = {}) {
    super(`job ${jobId} was canceled: ${error.code}: ${error.message}`);
    this.jobId = jobId;
    this.code = error.code;
    this.detail = error.message;
  }
}
