import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@vendure/core';
import { ConcurrencyLimiter } from '../../core/concurrency/concurrency-limiter';
import { MemoryQuota } from '../../core/concurrency/memory-quota';
import { flowError } from '../../core/errors/flow-error';
import { compileImport } from '../../core/import/compile-import';
import type { ImportContext } from '../../core/import/import-context';
import type { ImportPlan } from '../../core/import/import-plan';
import type { ImportFacts, ImportProfile } from '../../core/import/import-profile';
import { parseFacts } from '../../core/import/parse-plan';
import { canonicalJson, type JsonObject, type JsonValue } from '../../core/value/json';
import { show } from '../../core/value/show';
import { ENCODINGS } from '../../io/formats/decode';
import { PublicIds } from '../../platform/public-ids';
import type { FlowManagedFile } from '../entities/managed-file';
import { Files } from '../files/files';
import { fileStillExists } from '../files/verified-stream';
import type { ConvertedRecord, ProfiledFile } from '../test-runs/process/import-jobs';
import type { Job } from '../test-runs/process/messages';
import { TestRunProcesses } from '../test-runs/process/test-run-processes';

/** Names a profile: a file and the facts that a user has set. */
interface ProfileKey {
    /** The public id. */
    readonly fileId: string;
    readonly facts: Partial<ImportFacts>;
}

/** A profile with its file. */
export interface FileProfile extends ProfiledFile {
    readonly id: string;
    readonly file: FlowManagedFile;
}

/** The most files that are read at the same time, and the most requests that wait for that. */
const MAX_READING = 2;
const MAX_WAITING = 32;
const MAX_MS = 60_000;
const RETRY_MS = 1_000;
/** Profiles that are kept in memory: two names of each, and at most some megabytes for a file with 500 columns. */
const MAX_KEPT = 32;
const MAX_ID = 8_000;

/**
 * Profiles of stored files. A profile is not stored: its id names the file and the facts, and the file is read again if the profile is no longer in
 * memory, for example on another server. Files are read in a process that the server can lose.
 */
@Injectable()
export class ImportProfiles {
    private readonly kept = new Map<string, Promise<ProfiledFile>>();
    private readonly limiter = new ConcurrencyLimiter({
        working: MAX_READING,
        waiting: MAX_WAITING,
        waitMs: MAX_MS,
        held: new MemoryQuota(MAX_WAITING),
    });

    constructor(
        private readonly files: Files,
        private readonly ids: PublicIds,
        private readonly processes: TestRunProcesses,
    ) {}

    /** Throws INPUT_INVALID, FILE_NOT_FOUND, FILE_EXPIRED, FILE_UNREADABLE, SOURCE_MALFORMED, FILE_PREVIEW_BUSY and FILE_PREVIEW_TIMEOUT. */
    of(
        ctx: RequestContext,
        { fileId, facts }: { readonly fileId: string; readonly facts: unknown },
    ): Promise<FileProfile> {
        return this.read(ctx, { fileId, facts: factsOf(facts) });
    }

    /** The profile with this id. Throws what `of` throws. */
    byId(ctx: RequestContext, id: string): Promise<FileProfile> {
        return this.read(ctx, keyOf(id));
    }

    /** The file of the profile with this id, without reading it. Throws INPUT_INVALID, FILE_NOT_FOUND and FILE_EXPIRED. */
    fileOf(ctx: RequestContext, id: string): Promise<FlowManagedFile> {
        return this.fileById(ctx, keyOf(id).fileId);
    }

    /** Throws INPUT_INVALID for a plan whose file cannot be read with its facts. */
    assertFacts({ facts }: ImportPlan): void {
        checked(facts);
    }

    /** The id of the profile of a file with all facts of a plan. */
    idFor(file: FlowManagedFile, { facts }: ImportPlan): string {
        return idOf({ fileId: this.publicId(file), facts });
    }

    publicId({ id }: Pick<FlowManagedFile, 'id'>): string {
        return this.ids.encode(id);
    }

    /** The first records of a file before and after the operators of a plan. Throws what `of` throws, and DEFINITION_INVALID. */
    async converted(
        file: FlowManagedFile,
        {
            plan,
            context,
            limit,
        }: { readonly plan: ImportPlan; readonly context: ImportContext; readonly limit: number },
    ): Promise<readonly ConvertedRecord[]> {
        const fileId = this.ids.encode(file.id);
        const { steps } = compileImport({ ...plan, source: { kind: 'FILE', fileId } }, context);
        const extract = steps.find(({ kind }) => kind === 'EXTRACT')!;
        const transform = steps.find(({ kind }) => kind === 'TRANSFORM')!;
        const { adapterCode, ...config } = extract.config;
        const records: ConvertedRecord[] = [];
        const { filename, format, sha256, size } = file;
        await this.perform(file, path => ({
            job: {
                kind: 'convert',
                settings: {
                    code: adapterCode!,
                    config,
                    stepKey: extract.key,
                    limit,
                    operators: transform.config['operators']!,
                    transformKey: transform.key,
                    file: { id: fileId, filename, format, sha256, size, path },
                },
            },
            onItem: ({ record }) => void records.push(record as unknown as ConvertedRecord),
        }));
        return records;
    }

    private async read(ctx: RequestContext, key: ProfileKey): Promise<FileProfile> {
        const file = await this.fileById(ctx, key.fileId);
        const id = idOf(key);
        return { ...(await this.profiled(id, file, key.facts)), id, file };
    }

    private async fileById(ctx: RequestContext, fileId: string): Promise<FlowManagedFile> {
        const rowId = this.ids.decode(fileId);
        if (rowId === undefined) throw flowError('FILE_NOT_FOUND', {});
        return this.files.existing(ctx, rowId);
    }

    /** A file never changes, so its profile is valid for as long as the file exists. */
    private async profiled(id: string, file: FlowManagedFile, facts: Partial<ImportFacts>): Promise<ProfiledFile> {
        const name = `${file.blobKey} ${id}`;
        const known = this.kept.get(name);
        if (known) return this.keep(name, known);
        const profiled = await this.keep(name, this.profile(file, facts));
        // A plan names all facts.
        const whole = idOf({ fileId: this.publicId(file), facts: profiled.profile.facts });
        return this.keep(`${file.blobKey} ${whole}`, Promise.resolve(profiled));
    }

    private keep(name: string, profiled: Promise<ProfiledFile>): Promise<ProfiledFile> {
        this.kept.delete(name);
        this.kept.set(name, profiled);
        profiled.catch(() => this.kept.delete(name));
        const [oldest] = this.kept.keys();
        if (this.kept.size > MAX_KEPT) this.kept.delete(oldest!);
        return profiled;
    }

    private async profile(file: FlowManagedFile, facts: Partial<ImportFacts>): Promise<ProfiledFile> {
        const values: string[][] = [];
        const { profile } = await this.perform(file, path => ({
            job: {
                kind: 'profile',
                settings: { path, filename: file.filename, facts: facts as unknown as JsonValue },
            },
            onItem: item => void values.push(item['values'] as unknown as string[]),
        }));
        return { profile: profile as unknown as ImportProfile, values };
    }

    private async perform(
        file: FlowManagedFile,
        work: (path: string) => { readonly job: Job; readonly onItem: (item: JsonObject) => void },
    ): Promise<JsonObject> {
        const signal = AbortSignal.timeout(MAX_MS);
        const busy = (): Error => flowError('FILE_PREVIEW_BUSY', { count: MAX_READING }, { waitMs: RETRY_MS });
        return this.limiter.through({ busy, signal }, async () => {
            const local = await fileStillExists(file, () => this.files.source(file).local(signal));
            try {
                const { job, onItem } = work(local.path);
                return await this.processes.perform(job, { signal, onItem });
            } catch (thrown) {
                if (!signal.aborted) throw thrown;
                throw flowError('FILE_PREVIEW_TIMEOUT', { filename: file.filename, seconds: MAX_MS / 1_000 });
            } finally {
                await local.release();
            }
        });
    }
}

/** The facts of an input, in which null means that a fact is to be detected, except for the row of names. */
function factsOf(given: unknown): Partial<ImportFacts> {
    const entries = Object.entries((given ?? {}) as JsonObject).filter(
        ([name, value]) => value !== null || name === 'headerRow',
    );
    return checked(Object.fromEntries(entries));
}

function checked(given: unknown): Partial<ImportFacts> {
    const parsed = parseFacts(given);
    if (!parsed.ok) throw flowError('INPUT_INVALID', { problem: parsed.issues[0]!.message });
    const { encoding } = parsed.value;
    if (encoding !== undefined && !ENCODINGS.some(known => known === encoding))
        throw flowError('INPUT_INVALID', {
            problem: `facts.encoding is ${show(encoding)}; allowed: ${ENCODINGS.join(', ')}`,
        });
    return parsed.value;
}

function idOf({ fileId, facts }: ProfileKey): string {
    return Buffer.from(canonicalJson([fileId, facts as unknown as JsonValue])).toString('base64url');
}

/** Throws INPUT_INVALID for a text that is not the id of a profile. */
function keyOf(id: string): ProfileKey {
    const invalid = (): Error =>
        flowError('INPUT_INVALID', { problem: `profileId is ${show(id)}; allowed: the id of a flowImportProfile` });
    if (id.length > MAX_ID) throw invalid();
    let parts: unknown;
    try {
        parts = JSON.parse(Buffer.from(id, 'base64url').toString());
    } catch {
        throw invalid();
    }
    const [fileId, facts] = Array.isArray(parts) ? (parts as readonly unknown[]) : [];
    if (typeof fileId !== 'string' || typeof facts !== 'object' || facts === null) throw invalid();
    return { fileId, facts: checked(facts) };
}
