import { messageOf } from '../i18n/use-server-texts';

/** What went wrong with a request, as far as it is known. */
export interface Fault {
    readonly message: string;
    /** A code of Flow's error catalogue, or one of Vendure's. */
    readonly code: string | undefined;
}

/** Reads what the API client throws: GraphQL errors come with the code of the catalogue and the facts of its message. */
export function faultOf(error: unknown): Fault {
    if (!(error instanceof Error)) return { message: String(error), code: undefined };
    const { extensions } = error as { readonly extensions?: { readonly code?: unknown; readonly facts?: unknown } };
    const code = typeof extensions?.code === 'string' ? extensions.code : undefined;
    // The client sets "GraphQL Error (…)" before what the server has said, for some of them.
    const message = error.message.replace(/^GraphQL (Request )?Error( \([^)]*\))?: /, '');
    return { message: messageOf({ code, message, facts: extensions?.facts }), code };
}

/** Whether a connection or a secret of it is the reason, not what is read with it. */
export function isOfConnection(error: unknown): boolean {
    return /^(?:CONNECTION|SECRET)_/.test(faultOf(error).code ?? '');
}

/** A secret that a definition would send to a host that is not allowed. */
export interface RefusedSecretHost {
    readonly stepKey: string;
    readonly secretCode: string;
    readonly host: string;
}

/** Of SECRET_HOST_NOT_ALLOWED: what the person may allow; undefined for other errors, and for people who may not. */
export function hostsToAllow(error: unknown): readonly RefusedSecretHost[] | undefined {
    if (faultOf(error).code !== 'SECRET_HOST_NOT_ALLOWED') return undefined;
    const { secretHosts, mayAllow } = (error as { readonly extensions: Readonly<Record<string, unknown>> }).extensions;
    return mayAllow === true ? (secretHosts as readonly RefusedSecretHost[]) : undefined;
}
