import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { GROUPS, inGroup } from '../../core/schema/groups';
import { type Advice, withoutEffect } from '../../core/adapter/base';
import type { AdapterContext } from '../../core/adapter/context';
import type { ExtractContext } from '../../core/adapter/extractor';
import type { FileWatch, WatchProblem } from '../../core/adapter/source-reference';
import { defineExtractor } from '../../core/adapter/extractor';
import {
    mergedSecretsSentTo,
    type SavedConnections,
    secretTargetOf,
    type SecretUse,
} from '../../core/adapter/secret-hosts';
import { connectionCode, withRules } from '../../core/schema/fields';
import type { JsonObject } from '../../core/value/json';
import { ACCESS_KEY_SECRETS, accessKey, accessKeyRule, cloudEndpoint } from '../connections/cloud-keys';
import { httpUrl } from '../connections/address';
import { bucket, region } from '../connections/object-storage';
import { acknowledgeAt } from '../remote-files/acknowledge';
import type { RemoteTarget } from '../remote-files/open-remote';
import {
    checkAfterwards,
    checkRemoteGroups,
    LAST_RUN,
    maxFiles,
    modifiedAfter,
    remoteFields,
    remoteNotes,
} from './remote-config';
import { remotePages, remoteCheckpoint } from './remote-pages';
import type { RemoteReading } from './remote-reading';
import { watchProblem } from './watched-file';

const FIELD = '_objectStorage';

const prefix = (title: string, description: string) =>
    z
        .string()
        .max(1_024)
        .regex(/^(?!\/)\P{Cc}*$/u, 'allowed: one line that does not begin with /')
        .meta({ title, description });

const config = withRules(
    z.strictObject({
        connectionCode: connectionCode(['OBJECT_STORAGE'], {
            title: 'Connection',
            description: 'A saved connection. Settings of the step override it.',
        }).optional(),
        bucket: bucket('The bucket. Default: the bucket of the connection.').optional(),
        ...inGroup(GROUPS.server, {
            region: region(
                'The region of the bucket. Default: the region of the connection, otherwise us-east-1.',
            ).optional(),
            endpoint: httpUrl('Endpoint', 'The address of a compatible service. Default: S3 itself.').optional(),
            ...accessKey,
            forcePathStyle: z.boolean().optional().meta({
                title: 'Path style',
                description: 'Puts the bucket into the path instead of the host name. Default: false.',
            }),
        }),
        prefix: prefix('Prefix', 'The prefix of the keys to read: incoming/stock/.').default(''),
        suffix: z
            .string()
            .min(1)
            .max(255)
            .optional()
            .meta({ title: 'Suffix', description: 'The suffix of the keys to read: .csv.' }),
        ...remoteFields,
        modifiedAfter: modifiedAfter(
            `Only reads objects modified at this time or later: an ISO date, or ${LAST_RUN} for objects that the last completed run has not read.`,
        ),
        maxObjects: maxFiles(
            'At most',
            'The maximum number of objects per run. The next run continues with the remaining ones.',
        ).default(100),
        ...inGroup(GROUPS.files, {
            includeObjectMetadata: z
                .boolean()
                .default(false)
                .meta({
                    title: 'With metadata',
                    description: `Adds bucket, key, size, etag and lastModified to each record, under ${FIELD}.`,
                }),
            moveAfterProcess: z
                .strictObject({
                    enabled: z
                        .boolean()
                        .default(false)
                        .meta({ title: 'Move', description: 'Moves each object after the run has completed.' }),
                    destinationPrefix: prefix(
                        'To',
                        'The prefix of the moved object. A folder (done/) keeps the name of the object; any other text replaces prefix.',
                    ).optional(),
                })
                .prefault({})
                .meta({ title: 'Move afterwards', description: 'Where to move objects that were read.' }),
        }),
    }),
    (given, issue) => {
        accessKeyRule(given, issue);
        checkAfterwards(given, 'destinationPrefix', issue);
        checkRemoteGroups(given, issue);
        const { moveAfterProcess: move, prefix: from = '', connectionCode: code, bucket: name } = given;
        if (code === undefined && name === undefined)
            issue('bucket', clause`is missing; give the bucket, or a connection that names one`);
        const to = (move as { readonly destinationPrefix?: unknown } | undefined)?.destinationPrefix;
        const isSameFolder = (one: string, other: string): boolean => isFolder(one) && one === folderOfPrefix(other);
        if (typeof to === 'string' && typeof from === 'string' && (to.startsWith(from) || isSameFolder(to, from)))
            issue(
                'moveAfterProcess.destinationPrefix',
                clause`leads to what the prefix "${from}" names, so that what is moved there would be read again`,
            );
    },
);
type Config = z.output<typeof config>;

/** Reads the files of a bucket. */
export const objectStorageExtractor = defineExtractor({
    code: 'objectStorage',
    aliases: ['s3'],
    category: 'Files',
    title: 'Object storage',
    summary: 'Reads records from files in a bucket of S3 or of a compatible service.',
    config,
    readsServer: true,
    notes: [
        ...remoteNotes,
        'To read a single object, set a prefix and a suffix that only match its key.',
        'Without the two access key secrets, the cloud credentials of the server are used, but only if the plugin option security.cloudCredentialChain is true. A custom endpoint always needs the secrets.',
    ],
    examples: [
        {
            config: {
                connectionCode: 'supplier-feeds',
                prefix: 'incoming/',
                suffix: '.csv',
                csv: { delimiter: ';' },
                includeObjectMetadata: true,
                moveAfterProcess: { enabled: true, destinationPrefix: 'done/' },
            },
            out: [],
            note: 'Reads all CSV files below incoming/ and moves them to done/ after their run has completed.',
        },
        {
            config: { connectionCode: 'supplier-feeds', prefix: 'prices/', format: 'JSON', modifiedAfter: 'LAST_RUN' },
            out: [],
            note: 'Reads what is new since the last completed run; files are not moved.',
        },
    ],
    advise: ({ moveAfterProcess: { enabled, destinationPrefix } }): readonly Advice[] =>
        !enabled && destinationPrefix !== undefined
            ? [withoutEffect('moveAfterProcess.destinationPrefix', clause`without moveAfterProcess.enabled`)]
            : [],
    secretUses,
    readsPart: ({ modifiedAfter: after }) => after !== undefined,
    readsWatched,
    saved: async (given, cx) => remoteCheckpoint(readingOf(given, cx), cx),
    extract: (given, cx) => remotePages(readingOf(given, cx), cx),
    afterCompletion: (given, action, cx) => acknowledgeAt(targetOf(given, cx), action, cx),
});

/** The step's own settings override those of its connection. */
function settingsOf(given: Config, saved: JsonObject | undefined): JsonObject {
    const { bucket: name, region: place, endpoint, forcePathStyle } = given;
    const { accessKeyIdSecretCode, secretAccessKeySecretCode } = given;
    const own = {
        bucket: name,
        region: place,
        endpoint,
        forcePathStyle,
        accessKeyIdSecretCode,
        secretAccessKeySecretCode,
    };
    const said = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
    // The credentials of a connection are only for its own endpoint. They are not sent to an endpoint that a step
    // names.
    const kept = endpoint === undefined || endpoint === saved?.['endpoint'] ? saved : without(saved);
    return { ...kept, ...said } as JsonObject;
}

function secretUses(given: Config, connections: SavedConnections): readonly SecretUse[] {
    const saved = given.connectionCode === undefined ? undefined : connections(given.connectionCode);
    const merged = settingsOf(given, saved?.settings);
    const { endpoint, region: place = 'us-east-1' } = merged as Pick<Config, 'endpoint' | 'region'>;
    const target = secretTargetOf(endpoint ?? cloudEndpoint('s3', place));
    return mergedSecretsSentTo(target, { step: given, merged }, ACCESS_KEY_SECRETS);
}

function targetOf(given: Config, { connections }: Pick<AdapterContext, 'connections'>): RemoteTarget {
    const { connectionCode: code } = given;
    const saved = code === undefined ? undefined : connections.get(code).settings;
    return { code: code ?? 'of the step', type: 'OBJECT_STORAGE', settings: settingsOf(given, saved) };
}

function without(saved: JsonObject | undefined): JsonObject {
    const { accessKeyIdSecretCode: _id, secretAccessKeySecretCode: _key, ...others } = saved ?? {};
    return others as JsonObject;
}

function readsWatched(
    { connectionCode: code, bucket: name, endpoint, moveAfterProcess }: Config,
    watch: FileWatch,
): WatchProblem | undefined {
    const { enabled, destinationPrefix: to } = moveAfterProcess;
    const moves = enabled && to !== undefined ? { field: 'moveAfterProcess.destinationPrefix', to } : undefined;
    const isWithin = (target: string, { path, recursive }: FileWatch): boolean =>
        target.startsWith(path) && (recursive || !target.slice(path.length).includes('/'));
    return watchProblem({ connectionCode: code, elsewhere: { bucket: name, endpoint }, moves, isWithin }, watch);
}

function readingOf(
    given: Config,
    cx: Pick<AdapterContext, 'connections'> & Pick<ExtractContext, 'reference'>,
): RemoteReading {
    const {
        prefix: ownPrefix,
        suffix = '',
        maxObjects,
        includeObjectMetadata,
        moveAfterProcess,
        deleteAfterProcess,
    } = given;
    const target = targetOf(given, cx);
    const under = cx.reference?.under ?? ownPrefix;
    const to = moveAfterProcess.enabled ? moveAfterProcess.destinationPrefix : undefined;
    return {
        target,
        connectionCode: given.connectionCode,
        config: given,
        under,
        recursive: true,
        ...(suffix !== '' && { names: { suffix } }),
        matches: path => path.endsWith(suffix) && (to === undefined || to === '' || !path.startsWith(to)),
        maxFiles: maxObjects,
        isInclusive: true,
        ...(includeObjectMetadata && {
            metadata: ({ path, size, etag, modifiedAt }) => ({
                field: FIELD,
                value: {
                    bucket: target.settings['bucket'] ?? null,
                    key: path,
                    size,
                    etag: etag ?? null,
                    lastModified: modifiedAt === undefined ? null : new Date(modifiedAt).toISOString(),
                },
            }),
        }),
        afterwards: ({ path }) =>
            deleteAfterProcess
                ? { action: 'DELETE' }
                : to === undefined
                  ? undefined
                  : { action: 'MOVE', to: movedKey(path, { under, to }) },
    };
}

/**
 * The key of an object that is moved. A folder (`done/`) keeps the whole name, even if the prefix ends within that name
 * or equals the key. Any other destination replaces the prefix.
 */
function movedKey(path: string, { under, to }: { readonly under: string; readonly to: string }): string {
    const rest = path.slice(isFolder(to) ? folderOfPrefix(under).length : under.length);
    return to + (rest === '' ? path.slice(folderOfPrefix(path).length) : rest);
}

function isFolder(prefix: string): boolean {
    return prefix === '' || prefix.endsWith('/');
}

/** Up to its last slash. */
function folderOfPrefix(prefix: string): string {
    return prefix.slice(0, prefix.lastIndexOf('/') + 1);
}
