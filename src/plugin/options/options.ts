import { DEFAULT_LIMITS } from '../../core/adapter/bounds';
import type { ConnectionSource, Connector } from '../../core/pipeline/connector';
import type { LogLevel } from '../../core/adapter/context';
import type { AdapterDefinition } from '../../core/adapter/definition';
import type { ScriptFunction } from '../../core/adapter/script';
import type { PipelineSource } from '../../core/pipeline/definition';
import { builtinTemplates } from '../../core/templates/builtin-templates';
import type { PipelineTemplate } from '../../core/templates/pipeline-template';
import type { CheckLimits } from '../../core/pipeline/parse';
import { parseWith } from '../../core/schema/issues';
import { type ConfigFile, readConfigFile } from './config-file';
import type { ObjectStorageSettings } from '../../io/storage/object-storage';
import type { EventSource } from '../../platform/events/event-source';
import { joinLists, type SourcedList, optionInvalid } from './joined';
import { lockingOf, type RuntimeOptions, runtimeOf, type RuntimeTimes } from './runtime-options';
import { adaptersOf, type OwnAdapter } from './own-adapters';
import { optionsSchema } from './schema';
import { type ResolvedSecurity, type SecurityOptions, securityOf } from './security-options';

export type { ConnectionSource } from '../../core/pipeline/connector';

/** A secret defined in the shop's code. */
export interface SecretSource {
    readonly code: string;
    readonly provider: 'ENV' | 'INLINE';
    /** ENV: the name of exactly one environment variable. INLINE: the value itself, which is never stored. */
    readonly value: string;
    /** The token of the channel that the secret belongs to. Default: the default channel. */
    readonly channel?: string;
    /**
     * The hosts that it may be sent to: `erp.example.com`, `erp.example.com:8443` or `*.example.com`. Hosts of connections that name it need no entry. If this
     * is omitted, hosts of code-first pipelines that name it need none either.
     */
    readonly allowedHosts?: readonly string[];
}

/** Where the content of uploaded files is stored: in a folder that all servers and workers share, or in a bucket. */
export type FileStorageOptions =
    | {
          readonly type: 'local';
          /** Relative to the working directory of the process. Default `static/flow-files`. */
          readonly directory?: string;
      }
    | ({ readonly type: 'objectStorage' } & ObjectStorageSettings);

/** How Redis is reached. */
export interface RedisOptions {
    /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. */
    readonly url: string;
    /** The prefix of all of Flow's keys: letters, digits, `_`, `:`, `.` and `-`. Default: `flow:` and the name of the shop's database. */
    readonly keyPrefix?: string;
}

/** The options of `FlowPlugin.init`. Every field is optional. */
export interface FlowPluginOptions {
    /** Code-first pipelines, as `pipeline(…).build()` returns them. */
    readonly pipelines?: readonly PipelineSource[];
    /** Code-first secrets. Pipelines and connections name them by their codes. */
    readonly secrets?: readonly SecretSource[];
    /** Code-first connections. */
    readonly connections?: readonly ConnectionSource[];
    /** Bundles of adapters, connections and pipelines, as `defineConnector` returns them. */
    readonly connectors?: readonly Connector[];
    /** Your own templates of pipelines, in addition to the built-in ones. The page "New pipeline" offers them. */
    readonly templates?: readonly PipelineTemplate[];
    /** Your own operators, extractors, loaders, sinks, rules and connection types, in addition to the built-in ones. */
    readonly adapters?: readonly OwnAdapter[];
    /** Functions that SCRIPT hooks call, by name. */
    readonly scripts?: Readonly<Record<string, ScriptFunction>>;
    /** Further classes of events that EVENT triggers may name, and the records that the started runs receive. */
    readonly events?: readonly EventSource[];
    /** False omits the built-in operators, extractors and loaders (triggers and connection types stay). Default true. */
    readonly registerBuiltinAdapters?: boolean;
    /** Further words by which imports recognise the fields of columns: `{ sku: ['house number'] }`. */
    readonly importSynonyms?: Readonly<Record<string, readonly string[]>>;
    /**
     * A JSON or YAML file, relative to the working directory of the process. It may set all options except this one and those that hold functions (connectors,
     * adapters, scripts, events). Its lists are added to those of the code. Its single values override those of the code.
     */
    readonly configPath?: string;
    /** Turns on every option of `logging` that is not set explicitly. Default false. */
    readonly debug?: boolean;
    readonly logging?: {
        /** The lowest level that a run's log keeps. Default INFO, with `debug` DEBUG. */
        readonly level?: LogLevel;
        /** Writes each SQL statement of Flow to Vendure's log at level Debug, without its values. */
        readonly logQueries?: boolean;
        /** Writes a line per step to the run's log when the run ends. */
        readonly logSteps?: boolean;
    };
    readonly runtime?: RuntimeOptions;
    readonly security?: SecurityOptions;
    /** Uploaded files. A folder, or a bucket with its prefix, belongs to one shop alone: Flow deletes files in it that the shop does not know. */
    readonly files?: {
        /** Default: the folder `static/flow-files`. */
        readonly storage?: FileStorageOptions;
        /** In bytes: 1 to 1,099,511,627,776, default 104,857,600. */
        readonly maxFileSize?: number;
        /** In each channel: 1 to 1,000,000, default 10,000. */
        readonly maxFiles?: number;
    };
    readonly webhooks?: {
        /** Failed authentications of one address per minute after which its posts are rejected for a while: 0 (no limit) to 100,000, default 120. */
        readonly failuresPerAddress?: number;
        /** Records that one post may bring: 1 to 1,000,000, default 10,000. */
        readonly maxRecords?: number;
    };
    readonly api?: {
        /**
         * The highest cost of one operation of the admin API in Flow's fields: 1,000 to 1,000,000, default 10,000. Each row of a list costs 1, multiplied by
         * the rows around it.
         */
        readonly maxCost?: number;
    };
    /** The largest size of definitions. A larger definition is not saved, published or tested, but published ones keep running. */
    readonly definitions?: {
        /** Values of all kinds: each step, edge, operator and argument counts at least one. 1,000 to 1,000,000, default 100,000. */
        readonly maxValues?: number;
        /** Values of the configuration of one adapter, operator or rule: 1,000 to 1,000,000, default 20,000. */
        readonly maxConfigValues?: number;
        /** Different regular expressions: 1 to 10,000, default 500. */
        readonly maxPatterns?: number;
    };
    readonly hooks?: {
        /** The most pipelines that may start one another by TRIGGER_PIPELINE hooks, including the first: 2 to 50, default 10. */
        readonly maxChain?: number;
    };
    /** The largest size that operators may give the values of records, in characters. Each value counts 8 in addition to its text, each list or object 16. */
    readonly records?: {
        /** For a text: 1,024 to 67,108,864, default 4,194,304. */
        readonly maxValueChars?: number;
        /** For a record: 1,024 to 268,435,456, default 16,777,216. */
        readonly maxRecordChars?: number;
    };
    /**
     * Where the leases are stored that elect one process for work that only one may do at a time: in the database (default), in Redis (the option `redis`;
     * needs the package ioredis), or in the process itself, for shops with one process.
     */
    readonly locking?: 'database' | 'redis' | 'process';
    /** The Redis of `locking: 'redis'`. */
    readonly redis?: RedisOptions;
    /** False adds no indexes to the shop's own tables for the columns by which Flow finds rows: SKUs, e-mail addresses, places of pictures. Default true. */
    readonly lookupIndexes?: boolean;
    readonly publishing?: {
        /** Pipelines are published only from REVIEW, and by another user than the submitter. Default false. */
        readonly requireReview?: boolean;
    };
    /** For how many days data of ended runs is kept: 0 (forever) to 3,650. */
    readonly retention?: {
        /** Default 30. */
        readonly runsDays?: number;
        /** Rejected records; default 90. */
        readonly recordErrorsDays?: number;
        /** Default 30. */
        readonly logsDays?: number;
        /** The data of analytics, counted by hour. Default 365. */
        readonly analyticsDays?: number;
    };
}

/** The options with all defaults, with code, connectors and file joined. */
export interface FlowOptions {
    readonly pipelines: readonly PipelineSource[];
    readonly secrets: readonly SecretSource[];
    readonly connections: readonly ConnectionSource[];
    readonly connectors: readonly Connector[];
    readonly templates: readonly PipelineTemplate[];
    readonly definitions: CheckLimits;
    readonly locking: 'database' | 'redis' | 'process';
    readonly redis?: RedisOptions;
    readonly lookupIndexes: boolean;
    readonly importSynonyms: Readonly<Record<string, readonly string[]>>;
    readonly publishing: { readonly requireReview: boolean };
    readonly records: { readonly maxValueChars: number; readonly maxRecordChars: number };
    readonly security: ResolvedSecurity;
    readonly files: { readonly storage: FileStorageOptions; readonly maxFileSize: number; readonly maxFiles: number };
    readonly webhooks: { readonly failuresPerAddress: number; readonly maxRecords: number };
    readonly api: { readonly maxCost: number };
    readonly hooks: { readonly maxChain: number };
    /** Days; 0 keeps data forever. */
    readonly retention: Required<NonNullable<FlowPluginOptions['retention']>>;
    readonly adapters: readonly AdapterDefinition[];
    readonly scripts: Readonly<Record<string, ScriptFunction>>;
    readonly events: readonly EventSource[];
    readonly registerBuiltinAdapters: boolean;
    readonly logging: { readonly level: LogLevel; readonly logQueries: boolean; readonly logSteps: boolean };
    readonly runtime: RuntimeTimes;
}

/**
 * Checks the options, reads the file that they name and fills in the defaults. Throws CONFIG_FILE_INVALID, and OPTION_INVALID with the option, its value and
 * what is allowed.
 */
export function parseOptions(input: FlowPluginOptions): FlowOptions {
    const parsed = parseWith(optionsSchema, input);
    if (!parsed.ok) throw optionInvalid(parsed.issues);
    const code = parsed.value;
    const file = code.configPath === undefined ? undefined : readConfigFile(code.configPath);
    const said = file?.options;
    joinLists([{ place: 'the option connectors', list: code.connectors }], {
        option: 'connectors',
        what: 'connector',
        perChannel: false,
    });
    const debug = said?.debug ?? code.debug ?? false;
    return {
        ...listsOf(code, file),
        connectors: code.connectors,
        adapters: adaptersOf(code.adapters),
        scripts: code.scripts,
        events: code.events,
        registerBuiltinAdapters: said?.registerBuiltinAdapters ?? code.registerBuiltinAdapters ?? true,
        logging: {
            level: debug ? 'DEBUG' : 'INFO',
            logQueries: debug,
            logSteps: debug,
            ...given(code.logging),
            ...given(said?.logging),
        },
        runtime: runtimeOf({
            ...given(code.runtime),
            ...given(said?.runtime),
            scheduler: { ...given(code.runtime?.scheduler), ...given(said?.runtime?.scheduler) },
        }),
        security: securityOf(given(code.security), given(said?.security), isDevelopment()),
        files: {
            storage: { type: 'local' },
            maxFileSize: 104_857_600,
            maxFiles: 10_000,
            ...given(code.files),
            ...given(said?.files),
        },
        definitions: {
            maxValues: 100_000,
            maxConfigValues: 20_000,
            maxPatterns: 500,
            ...given(code.definitions),
            ...given(said?.definitions),
        },
        records: { ...DEFAULT_LIMITS, ...given(code.records), ...given(said?.records) },
        ...lockingOf({
            ...given({ locking: code.locking, redis: code.redis }),
            ...given({ locking: said?.locking, redis: said?.redis }),
        }),
        webhooks: { failuresPerAddress: 120, maxRecords: 10_000, ...given(code.webhooks), ...given(said?.webhooks) },
        api: { maxCost: 10_000, ...given(code.api), ...given(said?.api) },
        hooks: { maxChain: 10, ...given(code.hooks), ...given(said?.hooks) },
        lookupIndexes: said?.lookupIndexes ?? code.lookupIndexes ?? true,
        importSynonyms: { ...code.importSynonyms, ...said?.importSynonyms },
        publishing: { requireReview: false, ...given(code.publishing), ...given(said?.publishing) },
        retention: {
            runsDays: 30,
            recordErrorsDays: 90,
            logsDays: 30,
            analyticsDays: 365,
            ...given(code.retention),
            ...given(said?.retention),
        },
    };
}

type Lists = Pick<FlowOptions, 'pipelines' | 'secrets' | 'connections' | 'templates'>;

function listsOf(code: Lists & Pick<FlowOptions, 'connectors'>, file: ConfigFile | undefined): Lists {
    const written = file && {
        ...file.options,
        // Set here, since a schema cannot derive one field from another.
        pipelines: file.options.pipelines.map(source => ({ ...source, name: source.name ?? source.code })),
    };
    const all = <K extends keyof Lists>(
        option: K,
        more: ReadonlyArray<SourcedList<Lists[K][number]>> = [],
    ): ReadonlyArray<SourcedList<Lists[K][number]>> => [
        { place: `the option ${option}`, list: code[option] },
        ...more,
        ...(file && written ? [{ place: `the file "${file.file}"`, list: written[option] }] : []),
    ];
    const bundled = <K extends 'pipelines' | 'connections'>(option: K): ReadonlyArray<SourcedList<Lists[K][number]>> =>
        code.connectors.map(connector => ({ place: `the connector "${connector.code}"`, list: connector[option] }));
    return {
        pipelines: joinLists(all('pipelines', bundled('pipelines')), {
            option: 'pipelines',
            what: 'pipeline',
            perChannel: false,
        }),
        secrets: joinLists(all('secrets'), { option: 'secrets', what: 'secret', perChannel: true }),
        connections: joinLists(all('connections', bundled('connections')), {
            option: 'connections',
            what: 'connection',
            perChannel: true,
        }),
        templates: joinLists<PipelineTemplate>(
            [{ place: 'Flow itself', list: builtinTemplates }, ...all('templates')],
            { option: 'templates', what: 'template', perChannel: false },
        ).slice(builtinTemplates.length),
    };
}

/** Without properties that are explicitly undefined, so that they do not hide a default. */
function given<T extends object>(values: T | undefined): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
    return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value !== undefined)) as {
        [K in keyof T]?: Exclude<T[K], undefined>;
    };
}

function isDevelopment(): boolean {
    return ['development', 'test'].includes(process.env['NODE_ENV'] ?? '');
}
