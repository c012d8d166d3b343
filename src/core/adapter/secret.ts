import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { isAllowedHost, type SecretTarget, secretHostError } from './secret-hosts';

const MASK = '[secret]';

/**
 * A secret's value. It never shows itself in a log, a template, JSON or an error, and is given out only for a server that it may be sent to:
 * `revealFor`.
 */
export class Secret {
    readonly #value: string;
    /** What the value is made of: each of these must be allowed where it is sent. */
    readonly #parts: readonly Secret[];

    constructor(
        readonly code: string,
        value: string,
        /** The hosts that it may be sent to; none by default. */
        readonly allowedHosts: readonly string[] = [],
        parts: readonly Secret[] = [],
    ) {
        this.#value = value;
        this.#parts = parts;
    }

    /** The value for a request or a connection to this server. Throws SECRET_HOST_NOT_ALLOWED. */
    revealFor(target: SecretTarget): string {
        this.#check(target);
        return this.#value;
    }

    /** The value for what stays in this process: the redactor, and the verification of what comes in. What is sent takes `revealFor`. */
    reveal(): string {
        return this.#value;
    }

    /**
     * A secret that is made of the value of this one and those of others: a header, a signature. It has the code and the hosts of this one, and may be
     * sent only where all of them may.
     */
    derive(make: (value: string, ...others: readonly string[]) => string, others: readonly Secret[] = []): Secret {
        const value = make(this.#value, ...others.map(other => other.#value));
        return new Secret(this.code, value, this.allowedHosts, [...this.#parts, ...others]);
    }

    /** Reads a value that names its own server, such as a connection string: the person who set the secret has chosen where it is sent. */
    readAddressed<T>(read: (value: string) => T): T {
        return read(this.#value);
    }

    /** Distinguishes values without revealing them. */
    digest(): string {
        return createHash('sha256').update(this.#value).digest('hex');
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

    #check(target: SecretTarget): void {
        if (!isAllowedHost(this.allowedHosts, target)) throw secretHostError(this.code, target);
        for (const part of this.#parts) part.#check(target);
    }
}
