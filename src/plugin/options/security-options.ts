import { DEFAULT_MAX_RESPONSE_BYTES, DEFAULT_RULES } from '../../io/outbound/gateway';

/** The option `security`. */
export interface SecurityOptions {
    /** Hosts inside your own network that outbound requests may reach: exact names or addresses, without port. Default none. */
    readonly allowedHostnames?: readonly string[];
    /** Ports of well-known services (databases, mail, cluster interfaces) that requests to public hosts may use: 1 to 65,535. Default none. */
    readonly allowedPorts?: readonly number[];
    /** The largest response that is read into memory as a whole, in bytes: 1,024 to 1,073,741,824, default 33,554,432. */
    readonly maxResponseBytes?: number;
    /**
     * The largest size of a remote file (object storage, FTP, SFTP), in bytes, before and after it is unpacked: 1,024 to 1,099,511,627,776, default
     * 2,147,483,648.
     */
    readonly maxRemoteFileBytes?: number;
    /** False rejects JavaScript in definitions: the operator script and INTERCEPTOR hooks. Default true. */
    readonly inlineScripts?: boolean;
    /**
     * True accepts SFTP servers whose host key is not verified by a secret. Default: true if the environment variable NODE_ENV is `development` or `test`,
     * otherwise false.
     */
    readonly unknownHostKeys?: boolean;
    /**
     * The environment variables that ENV secrets created over the API may name, each exactly or by prefix (`ERP_*`). Secrets of the shop's code may name any
     * variable. Default: any variable except the master key. A user who manages secrets can then have a connection send values of the server's environment.
     */
    readonly secretVariables?: readonly string[];
    /** True lets connections without their own keys use the server's cloud credentials (environment, profile, role). Default false. */
    readonly cloudCredentialChain?: boolean;
}

type Given = { readonly [K in keyof SecurityOptions]?: Exclude<SecurityOptions[K], undefined> };

/** All of them are set, except for the list, which is undefined if the options do not set it. */
export type ResolvedSecurity = Required<Omit<SecurityOptions, 'secretVariables'>> &
    Pick<SecurityOptions, 'secretVariables'>;

/** The options of the code and the file, with their defaults: lists are joined, and single values of the file override those of the code. */
export function securityOf(code: Given, said: Given, isDevelopment: boolean): ResolvedSecurity {
    return {
        inlineScripts: true,
        maxResponseBytes: DEFAULT_MAX_RESPONSE_BYTES,
        maxRemoteFileBytes: DEFAULT_RULES.maxFileBytes,
        unknownHostKeys: isDevelopment,
        cloudCredentialChain: false,
        ...code,
        ...said,
        allowedHostnames: union(code.allowedHostnames, said.allowedHostnames),
        allowedPorts: union(code.allowedPorts, said.allowedPorts),
        ...((code.secretVariables ?? said.secretVariables) && {
            secretVariables: union(code.secretVariables, said.secretVariables),
        }),
    };
}

function union<T>(code: readonly T[] = [], said: readonly T[] = []): readonly T[] {
    return [...new Set([...code, ...said])];
}
