import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import type { Channel } from '@vendure/core';
import { Secret } from '../../core/adapter/secret';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { unseal } from '../../io/crypto/envelope';
import { environmentVariable } from '../../io/crypto/secret';
import type { FlowSecret } from '../entities/secret';
import type { SecretSource } from '../options/options';
import { isMasterKey } from '../options/secret-input';

/** The values of code-first INLINE secrets, which exist only in the memory of each process. */
type CodeFirstValues = (secret: FlowSecret) => string | undefined;

/** How this process reads secrets. */
export interface SecretRules {
    readonly values: CodeFirstValues;
    /** The environment variables that secrets of the API may name. Undefined: any. */
    readonly variables: readonly string[] | undefined;
}

/** The values that the options contain for the secrets of these channels. */
export function codeFirstValues(
    sources: readonly SecretSource[],
    channels: ReadonlyArray<Pick<Channel, 'id' | 'code' | 'token'>>,
): CodeFirstValues {
    return ({ code, channelId }) => {
        const channel = channels.find(({ id }) => String(id) === String(channelId));
        const isThere = ({ channel: token }: SecretSource): boolean =>
            token === undefined ? channel?.code === DEFAULT_CHANNEL_CODE : channel?.token === token;
        return sources.find(source => source.code === code && source.provider === 'INLINE' && isThere(source))?.value;
    };
}

/** Reads the value from its provider, for use with these hosts. Throws SECRET_UNREADABLE with the reason, and MASTER_KEY_INVALID. */
export function readSecret(secret: FlowSecret, by: SecretRules, allowedHosts: readonly string[] = []): Secret {
    const value = valueOf(secret, by);
    if (value === '') throw unreadable(secret, 'its value is empty');
    return new Secret(secret.code, value, allowedHosts, { codeFirst: secret.codeFirst });
}

/** Why a secret cannot be read. Undefined if it can. */
export function secretProblem(secret: FlowSecret, by: SecretRules): string | undefined {
    if (!secret.enabled) return DISABLED;
    try {
        readSecret(secret, by);
        return undefined;
    } catch (error) {
        if (isFlowError(error)) return error.message;
        throw error;
    }
}

/** The reason for a disabled secret. */
export const DISABLED = "It is disabled, since it was removed from the shop's code.";

function valueOf(secret: FlowSecret, { values, variables }: SecretRules): string {
    const { code, channelId, provider, value, codeFirst } = secret;
    if (provider === 'ENV') return variable(secret, variables);
    if (!codeFirst) return unseal(value ?? '', { channelId, code });
    const given = values(secret);
    if (given === undefined)
        throw unreadable(
            secret,
            "this process has no value for it in the plugin's options; run all servers and workers with the same",
        );
    return given;
}

function variable(secret: FlowSecret, allowed: readonly string[] | undefined): string {
    const name = secret.value ?? '';
    if (isMasterKey(name))
        throw unreadable(secret, 'it names the variable of the master key, which no pipeline or connection may read');
    if (!secret.codeFirst && allowed && !allowed.some(one => isNamed(name, one)))
        throw unreadable(
            secret,
            `the plugin's option security.secretVariables does not have the environment variable ${name}`,
        );
    const value = environmentVariable(name);
    if (value === undefined)
        throw unreadable(secret, `the environment variable ${name} is not set, or is empty, in this process`);
    return value;
}

/** True if the allowed name is equal, or is a prefix followed by a star. */
function isNamed(variable: string, allowed: string): boolean {
    return allowed.endsWith('*') ? variable.startsWith(allowed.slice(0, -1)) : variable === allowed;
}

function unreadable({ code }: FlowSecret, problem: string): Error {
    return flowError('SECRET_UNREADABLE', { code, problem });
}
