import { DEFAULT_MAX_RESPONSE_BYTES, DEFAULT_RULES } from '../../io/outbound/gateway';

/** The option `security`. */
export interface SecurityOptions {
    /** Hosts inside your own network that outbound requests may reach: exact names or addresses, without port. Default none. */
    readonly allowedHostnames?: readonly string[];
    /** Ports of well-known services (databases, mail, cluster interfaces) that public hosts may be asked at: 1 to 65,535. Default none. */
    readonly allowedPorts?: readonly number[];
    /** The most that an answer may come to which is held whole, in bytes: 1,024 to 1,073,741,824, default 33,554,432. */
    readonly maxResponseBytes?: number;
    /**
     * The most that a file elsewhere may have (object storage, FTP, SFTP), in bytes, before and after it is unpacked: 1,024 to 1,099,511,627,776,
     * default 2,147,483,648.
     */
    readonly maxRemoteFileBytes?: number;
    /** False refuses JavaScript in definitions: the operator script and INTERCEPTOR hooks. Default true. */
    readonly inlineScripts?: boolean;
    /**
     * True lets SFTP servers in whose host key no secret vouches for. Default: true where the environment variable NODE_ENV is `development` or
     * `test`, else false.
     */
    readonly unknownHostKeys?: boolean;
    /**
     * The environment variables that ENV secrets made over the API may name, each exactly or by its beginning (`ERP_*`). Secrets of the shop's code may name any.
     * Default: any but the master key, so that whoever manages secrets may have a connection send what the server's environment holds.
     */
    readonly secretVariables?: readonly string[];
    /** True lets connections without keys of their own use the server's cloud credentials (environment, profile, role). Default false. */
    readonly cloudCredentialChain?: boolean;
}

type Given = { readonly [K in keyof SecurityOptions]?: Exclude<SecurityOptions[K], undefined> };

/** Each of them, but for the list that is none where nobody gives it. */
export type ResolvedSecurity = Required<Omit<SecurityOptions, 'secretVariables'>> &
    Pick<SecurityOptions, 'secretVariables'>;

/** What the code and the file say, with its defaults: the lists are joined, of single values the file's wins. */
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
