import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { isAllowedHost, type SecretTarget, secretHostError } from './secret-hosts';

const MASK = '[secret]';

/** The origin and the parts of a secret. */
interface SecretOrigin {
    /** Only the shop's code can allow more hosts. */
    readonly codeFirst?: boolean;
    /** The secrets that the value is derived from. Each of them must be allowed at the server. */
    readonly parts?: readonly Secret[];
}

/** The only way to a value without a host. It is set within the class and not a method, so that adapters outside of Flow cannot call it. */
let valueOf: (secret: Secret) => string;

/**
 * A secret's value. It never shows itself in a log, a template, JSON or an error, and is given out only for a server that it may be sent to:
 * `revealFor`.
 */
export class Secret {
    static {
        valueOf = secret => secret.#value;
    }

    readonly #value: string;
    readonly #origin: SecretOrigin;

    constructor(
        readonly code: string,
        value: string,
        /** The hosts that it may be sent to; none by default. */
        readonly allowedHosts: readonly string[] = [],
        origin: SecretOrigin = {},
    ) {
        this.#value = value;
        this.#origin = origin;
    }

    /** The value for a request or a connection to this server. Throws SECRET_HOST_NOT_ALLOWED. */
    revealFor(target: SecretTarget): string {
        this.#check(target);
        return this.#value;
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
        const { codeFirst = false, parts = [] } = this.#origin;
        for (const part of parts) part.#check(target);
        if (!isAllowedHost(this.allowedHosts, target)) throw secretHostError({ code: this.code, codeFirst }, target);
    }
}

/**
 * The value for use within this process: by the redactor, and for verifying incoming requests. To send a secret, use
 * `revealFor`.
 */
export function revealInProcess(secret: Secret): string {
    return valueOf(secret);
}

/**
 * A secret that is derived from others, such as a header or a signature. It has the code and the hosts of the first,
 * and may only be sent where all of them are allowed.
 */
export function deriveSecret(
    secret: Secret,
    make: (value: string, ...others: readonly string[]) => string,
    others: readonly Secret[] = [],
): Secret {
    const value = make(valueOf(secret), ...others.map(valueOf));
    return new Secret(secret.code, value, secret.allowedHosts, { parts: [secret, ...others] });
}

/**
 * Reads a value that names its own server, such as a connection string. The user who set the secret has thereby decided
 * where it is sent.
 */
export function readAddressed<T>(secret: Secret, read: (value: string) => T): T {
    return read(valueOf(secret));
}
