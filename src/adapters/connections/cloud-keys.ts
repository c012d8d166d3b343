import { clause, type FactText } from '../../core/errors/rendered';
import {
    allowedEntriesOf,
    type SecretUse,
    secretsSentTo,
    secretTargetOf,
    withSubdomains,
} from '../../core/adapter/secret-hosts';
import { secretCode } from '../../core/schema/fields';
import type {} from '../../core/errors/rendered';

export { cloudEndpoint } from '../clients/cloud-endpoint';

/** The two halves of an access key of a cloud: both are secrets, and neither is of use alone. */
export const accessKey = {
    accessKeyIdSecretCode: secretCode(
        'Access key id secret',
        'The secret that holds the access key id. Requires secretAccessKeySecretCode.',
    ).optional(),
    secretAccessKeySecretCode: secretCode(
        'Secret access key secret',
        'The secret that holds the secret access key. Requires accessKeyIdSecretCode.',
    ).optional(),
};

/** The fields of both halves. */
export const ACCESS_KEY_SECRETS = ['accessKeyIdSecretCode', 'secretAccessKeySecretCode'] as const;

export const ACCESS_KEY_NOTE =
    "Without the two access key secrets, the server's own cloud credentials are used (environment, profile or role).";

interface AccessKey {
    readonly accessKeyIdSecretCode?: string | undefined;
    readonly secretAccessKeySecretCode?: string | undefined;
}

/** Requires both secret codes of an access key, or neither. */
export function accessKeyRule(
    { accessKeyIdSecretCode: id, secretAccessKeySecretCode: key }: AccessKey,
    issue: (path: string, problem: FactText) => void,
): void {
    if (id !== undefined && key === undefined)
        issue('secretAccessKeySecretCode', clause`is missing; accessKeyIdSecretCode requires it. Set both or neither`);
    if (key !== undefined && id === undefined)
        issue('accessKeyIdSecretCode', clause`is missing; secretAccessKeySecretCode requires it. Set both or neither`);
}

/** Where an access key is used: requests to this service are signed with it. */
export function accessKeyUses(config: AccessKey, endpoint: string): readonly SecretUse[] {
    return secretsSentTo(secretTargetOf(endpoint), config, ACCESS_KEY_SECRETS);
}

/** The servers of a service. The name of a bucket may be part of the host name. */
export function cloudServers(endpoint: string): readonly string[] {
    return allowedEntriesOf(secretTargetOf(endpoint)).flatMap(withSubdomains);
}
