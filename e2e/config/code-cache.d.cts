/** Keeps what this process has compiled for the next ones, functions that have run included: best called when it is ready. */
export function keepCompiled(): void;
