import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import type { OutboundAuth } from '../../core/adapter/http';
import { type SecretUse, secretsSentTo, secretTargetOf } from '../../core/adapter/secret-hosts';
import type { SinkExample, SinkSession, SinkRunContext } from '../../core/adapter/sink';
import { path, secretCode, withRules } from '../../core/schema/fields';
import { basic, headerAuth } from '../../io/outbound/auth';
import { httpUrl } from '../connections/address';
import { BulkEngine, type BulkClient } from './bulk-engine';
import { ClientGateway } from './client-gateway';
import { checkName, commonFields, indexName } from './common-fields';
import { rebuildField, SEARCH_NOTES } from './search-fields';
import { SearchSession } from './search-session';

/** Servers of both engines listen there. */
const USUAL_PORTS = [9200];

const fields = z.strictObject({
    node: httpUrl('Address', 'The address of the server, with its port: https://search.example.com:9200.', USUAL_PORTS),
    apiKeySecretCode: secretCode(
        'API key',
        'The secret that holds an API key, encoded in base64 as the server gives it.',
    ).optional(),
    usernameSecretCode: secretCode(
        'User name',
        'The secret that holds the username. Requires passwordSecretCode.',
    ).optional(),
    passwordSecretCode: secretCode(
        'Password',
        'The secret that holds the password. Requires usernameSecretCode.',
    ).optional(),
    indexName: indexName('Index', 'The index or alias for the documents.'),
    idField: path('Id field', 'The field that identifies a document.'),
    rebuild: rebuildField,
    ...commonFields,
});

/** What the sinks of both engines are configured with. */
export const bulkConfig = withRules(fields, (args, issue) => {
    const { apiKeySecretCode: key, usernameSecretCode: user, passwordSecretCode: password } = args;
    checkName('indexName', { name: args.indexName, languageCode: args.languageCode }, issue);
    if (key !== undefined && (user !== undefined || password !== undefined))
        issue('apiKeySecretCode', clause`cannot be combined with usernameSecretCode and passwordSecretCode`);
    if (user !== undefined && password === undefined)
        issue('passwordSecretCode', clause`is missing; usernameSecretCode needs it`);
    if (password !== undefined && user === undefined)
        issue('usernameSecretCode', clause`is missing; passwordSecretCode needs it`);
});
type BulkArgs = z.output<typeof bulkConfig>;

/** Where the secrets of both are sent. */
export function bulkSecretUses(args: BulkArgs): readonly SecretUse[] {
    return secretsSentTo(secretTargetOf(args.node), args, [
        'apiKeySecretCode',
        'usernameSecretCode',
        'passwordSecretCode',
    ]);
}

/** Opens a sink of either engine; throws SECRET_UNREADABLE. */
export async function openBulk(
    args: BulkArgs,
    cx: SinkRunContext,
    clientOf: (node: string, gateway: ClientGateway) => Promise<BulkClient>,
): Promise<SinkSession> {
    const gateway = new ClientGateway({ url: args.node, auth: authOf(args, cx), usualPorts: USUAL_PORTS }, cx);
    const engine = new BulkEngine(await clientOf(args.node, gateway), gateway);
    return new SearchSession({ ...args, index: args.indexName }, cx, engine);
}

function authOf(args: BulkArgs, { secrets }: SinkRunContext): OutboundAuth | undefined {
    const { apiKeySecretCode: key, usernameSecretCode: user, passwordSecretCode: password } = args;
    if (key !== undefined) return headerAuth('Authorization', secrets.get(key), 'ApiKey ');
    if (user === undefined) return undefined;
    return basic(secrets.get(user), secrets.get(password!));
}

/** What both say of themselves. */
export const BULK_NOTES: readonly string[] = [
    ...SEARCH_NOTES,
    "Documents are sent to the bulk API, and the result of each one counts: for 429 and 5xx only those documents are retried; any other error rejects the record with the server's reason. A document that does not exist counts as deleted.",
    'The index is refreshed once, at the end of the run. The server maps unknown fields by their values: create the mappings of a production index in advance.',
    'A rebuilt index has the mappings and settings of the previous one. If the name was an index, it becomes an alias.',
];

/** What both are tried with. */
export const BULK_EXAMPLES: ReadonlyArray<SinkExample<z.input<typeof bulkConfig>>> = [
    {
        config: {
            node: 'https://search.example.com:9200',
            apiKeySecretCode: 'search-key',
            indexName: 'products-${languageCode}',
            languageCode: 'de',
            idField: 'id',
        },
        in: [
            { id: 1, translations: [{ languageCode: 'de', name: 'Hemd' }] },
            { id: 2, name: 'T-shirt' },
            { id: 3, __operation: 'DELETE' },
        ],
        does: ['deliver', 'deliver', 'remove'],
    },
    {
        config: { node: 'https://search.example.com', indexName: 'products', idField: 'sku', rebuild: true },
        in: [{ name: 'no sku' }, { sku: 'TS-1' }],
        does: ['reject', 'deliver'],
        rejects: ['sku'],
    },
];
