import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import type { Connection } from '../../core/adapter/connection';
import { Redactor } from '../../core/adapter/redactor';
import { FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { authOf } from '../../io/outbound/auth';
import { isPartName } from '../../io/remote/part-name';
import type { RemoteFile } from '../../io/remote/remote-files';
import { ConnectionAccess } from '../connections/connection-access';
import { Connections } from '../connections/connections';
import { OutboundAccess } from '../connections/outbound';
import type { FlowManagedFile } from '../entities/managed-file';
import { watchedUnder } from '../file-triggers/folder-listing';
import { WatchedServers } from '../file-triggers/watched-servers';
import { DEFAULT_EXPIRY } from '../files/expiry';
import { Files } from '../files/files';
import { testRunGateway } from '../runs/test-run-gateway';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import type { ThroughDoor } from '../trigger-preview';
import { SourceLimits } from './source-limits';

/** The API's FlowImportSourceInput. */
export interface SourceInput {
    readonly text?: string | null;
    readonly url?: string | null;
    readonly connectionCode?: string | null;
    readonly path?: string | null;
    readonly filename?: string | null;
}

/** A folder on a server. */
export interface ServerFolder {
    readonly folders: readonly string[];
    readonly files: ReadonlyArray<{
        readonly path: string;
        readonly name: string;
        readonly size: number | null;
        readonly modifiedAt: Date | null;
    }>;
    readonly isCut: boolean;
}

const MAX_TEXT = 1_000_000;
const MAX_MS = 120_000;
const MAX_IDLE_MS = 30_000;
/** Of a folder. */
const MAX_FILES = 500;
const MAX_FOLDERS = 500;
/** A listing looks one folder deeper, so that empty folders are the only ones that are not seen. */
const BOUNDS = { depth: 1, entries: 5_000, pages: 200 };

/** Reads a source once and stores it as a file, so that profile, check and import read the same bytes. */
@Injectable()
export class ImportSources {
    private readonly limits = new SourceLimits();

    constructor(
        private readonly files: Files,
        private readonly connections: Connections,
        private readonly access: ConnectionAccess,
        private readonly servers: WatchedServers,
        private readonly outbound: OutboundAccess,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Throws INPUT_INVALID, IMPORT_SOURCES_OF_USER_BUSY, IMPORT_SOURCES_BUSY, and the errors of storing a file, of connections and of the network. */
    async store(ctx: RequestContext, input: SourceInput): Promise<FlowManagedFile> {
        const { text, url, connectionCode, path, filename } = input;
        const given = [text, url, path].filter(value => value != null).length;
        if (given !== 1)
            throw flowError('INPUT_INVALID', {
                problem: `input has ${given} of text, url and path; allowed: exactly one of them`,
            });
        if (text != null) return this.storeText(ctx, text, filename ?? 'import.csv');
        return this.limited(ctx, ({ redactor, signal }) =>
            url == null
                ? this.storeRemote(ctx, { code: connectionCode, path: path!, filename, redactor, signal })
                : this.storeUrl(ctx, { url, code: connectionCode, filename, redactor, signal }),
        );
    }

    /** Throws IMPORT_SOURCES_OF_USER_BUSY, IMPORT_SOURCES_BUSY, and the errors of connections and of listing a folder. */
    async list(ctx: RequestContext, code: string, folder: string | null | undefined): Promise<ServerFolder> {
        return this.limited(ctx, async ({ redactor, signal }) => {
            const server = await this.servers.open(ctx.channelId, code, {
                redactor,
                signal,
                through: this.through(ctx),
            });
            try {
                const under = watchedUnder(folder ?? (server.isBucket ? '' : '/'), server);
                const found: RemoteFile[] = [];
                let isCut = false;
                for await (const page of server.files.list({ under, recursive: true, bounds: BOUNDS })) {
                    signal.throwIfAborted();
                    found.push(...page.files.filter(file => !isPartName(file.path)));
                    // Pages are also cut where folders are deeper than the listing, which is intended.
                    if (page.isCut && found.length >= BOUNDS.entries) isCut = true;
                }
                return folderOf(under, found, isCut);
            } finally {
                server.close();
            }
        });
    }

    /** Does what opens a connection. The time starts when the connection may be opened. */
    private limited<T>(
        ctx: RequestContext,
        work: (fetched: Pick<Fetched, 'redactor' | 'signal'>) => Promise<T>,
    ): Promise<T> {
        const redactor = new Redactor();
        return this.limits.through(ctx, () =>
            withoutSecrets(redactor, () => work({ redactor, signal: AbortSignal.timeout(MAX_MS) })),
        );
    }

    private storeText(ctx: RequestContext, text: string, filename: string): Promise<FlowManagedFile> {
        if (text.length > MAX_TEXT)
            throw flowError('INPUT_INVALID', {
                problem: `text has ${text.length} characters; allowed: at most ${MAX_TEXT}. Upload a larger text as a file`,
            });
        return this.keep(ctx, { filename, bytes: once(Buffer.from(text)), signal: AbortSignal.timeout(MAX_MS) });
    }

    private async storeUrl(
        ctx: RequestContext,
        { url, code, filename, redactor, signal }: Fetched & { readonly url: string },
    ): Promise<FlowManagedFile> {
        const address = addressOf(url);
        const connection = code == null ? undefined : await this.connections.open(ctx.channelId, code);
        const { outbound, secrets, close } = await this.gatewayOf(ctx, connection, redactor);
        try {
            const { baseUrl, headers } = (connection?.settings ?? {}) as {
                readonly baseUrl?: string;
                readonly headers?: Record<string, string>;
            };
            const auth = connection && secrets && authOf(connection, secrets);
            const stream = await outbound.stream.open({
                url: address.href,
                method: 'GET',
                ...(headers && { headers }),
                ...(auth && { auth }),
                ...(baseUrl !== undefined && { originLock: new URL(baseUrl).origin }),
                idleMs: MAX_IDLE_MS,
                totalMs: MAX_MS,
                maxBytes: this.setup.options.files.maxFileSize,
                attempts: 2,
                signal,
            });
            try {
                const name = filename ?? nameFrom(address.pathname, stream.headers['content-type']);
                return await this.keep(ctx, { filename: name, bytes: stream.body, signal });
            } finally {
                stream.close();
            }
        } finally {
            close();
        }
    }

    private async storeRemote(
        ctx: RequestContext,
        { code, path, filename, redactor, signal }: Fetched & { readonly path: string },
    ): Promise<FlowManagedFile> {
        if (code == null)
            throw flowError('INPUT_INVALID', {
                problem: 'connectionCode is missing; allowed: the code of the connection that has the file at path',
            });
        const server = await this.servers.open(ctx.channelId, code, { redactor, signal, through: this.through(ctx) });
        try {
            const file = await server.files.stat(path);
            if (!file) throw flowError('REMOTE_FILE_NOT_FOUND', { host: server.files.host, path });
            const name = filename ?? path.slice(path.lastIndexOf('/') + 1);
            return await this.keep(ctx, { filename: name, bytes: server.files.open(file, 0), signal });
        } finally {
            server.close();
        }
    }

    private keep(
        ctx: RequestContext,
        {
            filename,
            bytes,
            signal,
        }: { readonly filename: string; readonly bytes: AsyncIterable<Uint8Array>; readonly signal: AbortSignal },
    ): Promise<FlowManagedFile> {
        return this.files.store(ctx, { filename, mimeType: undefined, bytes, expiry: () => DEFAULT_EXPIRY }, signal);
    }

    private async gatewayOf(ctx: RequestContext, connection: Connection | undefined, redactor: Redactor) {
        const { channelId } = ctx;
        const scope = `${channelId}/import`;
        const opened = connection && (await this.access.surroundings(connection, { channelId, scope, redactor }));
        const gateway =
            opened?.outbound ?? this.outbound.forRun({ scope, rateLimitRps: 0, learn: token => redactor.add(token) });
        const servers = (): readonly string[] =>
            connection && opened ? this.access.servers(connection, opened.secrets) : [];
        return {
            outbound: this.through(ctx)(gateway, servers),
            secrets: opened?.secrets,
            close: () => gateway.close(),
        };
    }

    /** What is read is not approved yet, as in tests of definitions. */
    private through(ctx: RequestContext): ThroughDoor {
        const { requireReview } = this.setup.options.publishing;
        return (gateway, servers) => testRunGateway(gateway, { ctx, requireReview, servers });
    }
}

interface Fetched {
    readonly code: string | null | undefined;
    readonly filename: string | null | undefined;
    readonly redactor: Redactor;
    readonly signal: AbortSignal;
}

/** Errors of connections may quote secrets. */
async function withoutSecrets<T>(redactor: Redactor, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        if (!isFlowError(error) || redactor.isEmpty) throw error;
        const { code, message, details } = error;
        throw new FlowError(code, redactor.text(message), { ...(details && { details: redactor.json(details) }) });
    }
}

function addressOf(url: string): URL {
    const address = URL.canParse(url) ? new URL(url) : undefined;
    if (address && /^https?:$/.test(address.protocol) && address.username === '' && address.password === '')
        return address;
    throw flowError('INPUT_INVALID', {
        problem: `url is ${show(url)}; allowed: an address that begins with http:// or https://, without user name and password`,
    });
}

const ENDINGS: Readonly<Record<string, string>> = {
    'text/csv': 'csv',
    'text/tab-separated-values': 'tsv',
    'application/json': 'json',
    'application/x-ndjson': 'ndjson',
    'application/xml': 'xml',
    'text/xml': 'xml',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/** The last part of an address. An address without a name of a file gets one by the type of its content. */
function nameFrom(pathname: string, type = ''): string {
    const last = pathname.slice(pathname.lastIndexOf('/') + 1);
    let name = last;
    try {
        name = decodeURIComponent(last);
    } catch {
        // The name is not percent-encoded, and is used as it is.
    }
    if (/\.[a-z0-9]{2,6}$/i.test(name)) return name;
    const ending = ENDINGS[type.split(';')[0]!.trim().toLowerCase()] ?? 'csv';
    return `${name === '' ? 'import' : name}.${ending}`;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(bytes);
}

function folderOf(under: string, found: readonly RemoteFile[], isCut: boolean): ServerFolder {
    const base = under === '' || under.endsWith('/') ? under : `${under}/`;
    const folders = new Set<string>();
    const files: RemoteFile[] = [];
    for (const file of found) {
        const rest = file.path.startsWith(base) ? file.path.slice(base.length) : file.path;
        const end = rest.indexOf('/');
        if (end < 0) files.push(file);
        else folders.add(base + rest.slice(0, end));
    }
    const newest = [...files].sort((a, b) => (b.modifiedAt ?? 0) - (a.modifiedAt ?? 0) || (a.path < b.path ? -1 : 1));
    return {
        folders: [...folders].sort().slice(0, MAX_FOLDERS),
        files: newest.slice(0, MAX_FILES).map(({ path, size, modifiedAt }) => ({
            path,
            name: path.slice(path.lastIndexOf('/') + 1),
            size: Number.isFinite(size) ? size : null,
            modifiedAt: modifiedAt === undefined ? null : new Date(modifiedAt),
        })),
        isCut: isCut || files.length > MAX_FILES || folders.size > MAX_FOLDERS,
    };
}
