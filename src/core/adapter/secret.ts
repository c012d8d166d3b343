import { inspect } from 'node:util';

const MASK = '[secret]';

/** A secret's value. It shows itself only when asked to, never in a log, a template, JSON or an error. */
export class Secret {
    readonly #value: string;

    constructor(
        readonly code: string,
        value: string,
    ) {
        this.#value = value;
    }

    reveal(): string {
        return this.#value;
    }

    toString(): string {
        return MASK;
    }

    toJSON(): string {
        return MASK;
    }

    [inspect.custom](): string {
        return MASK;
    }
}
