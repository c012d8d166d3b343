import type { Registry } from '../../core/adapter/registry';
import type { HostProblem } from '../../core/schema/address-fields';
import { show } from '../../core/value/show';
import { type Issue, type IssueCode, Issues } from '../../core/pipeline/issues';
import type { YieldingTask } from '../../core/concurrency/yielding-task';
import { unreadable } from '../../adapters/extractors/managed-file';
import type { Id } from '../../database/write';
import { blockedSettings, fitsConnection, readConnection, secretsOf } from '../options/connection-settings';
import type { DefinitionReference } from './definition-references';
import { triggersOf } from '../triggers/triggers';
import {
    PRUNED,
    type KnownReferences,
    type KnownConnection,
    type KnownFile,
    type KnownPipeline,
    type KnownSecret,
} from './known-codes';

/** The references of a definition, and the channel in which they are looked up. */
export interface ScopedReferences {
    readonly channelId: Id;
    readonly references: readonly DefinitionReference[];
}

/** The referenced resources of channels. */
export interface KnownResources {
    readonly connections: KnownReferences<KnownConnection>;
    readonly secrets: KnownReferences<KnownSecret>;
    readonly files: KnownReferences<KnownFile>;
    /** Undefined if there are too many pipelines to read the published definition of each. */
    readonly pipelines?: KnownReferences<KnownPipeline>;
    readonly now: Date;
}

/** A channel, and the kind of resources that it lacks. */
export interface UnknownReferences {
    readonly channelId: Id;
    readonly to: 'secret' | 'connection' | 'pipeline';
}

/** "Did you mean …?" for a code that a channel does not have. */
export type HintOf = (gap: UnknownReferences) => (code: string) => string;

/** A reference of a definition, with the channel in which it is looked up. */
interface Named {
    readonly reference: DefinitionReference;
    readonly channelId: Id;
}

interface Fault {
    readonly code: IssueCode;
    readonly message: string;
    /** The missing code. */
    readonly wanted?: string;
    readonly severity?: 'WARNING';
}

/** Checks references against the existing resources. */
export class ReferenceChecker {
    constructor(
        private readonly registry: Registry,
        private readonly found: KnownResources,
        private readonly hostProblem: HostProblem = () => undefined,
    ) {}

    /** The channels and kinds that need hints, each once. */
    *lacks(all: readonly ScopedReferences[]): YieldingTask<readonly UnknownReferences[]> {
        const gaps = new Map<string, UnknownReferences>();
        for (const { channelId, references } of all) {
            for (const reference of references) {
                for (const { code, wanted: desired } of this.judge({ reference, channelId })) {
                    const to = kindOf(code);
                    if (desired !== undefined) gaps.set(`${to} ${channelId}`, { channelId, to });
                }
                yield;
            }
        }
        return [...gaps.values()];
    }

    /** The issues, with "Did you mean …?" for missing resources. */
    *issues(all: readonly ScopedReferences[], hintOf: HintOf): YieldingTask<ReadonlyArray<readonly Issue[]>> {
        const lists: Array<readonly Issue[]> = [];
        for (const { channelId, references } of all) {
            const issues = new Issues();
            for (const reference of references) {
                for (const { code, message, wanted: desired, severity } of this.judge({ reference, channelId })) {
                    const { path, stepKey } = reference;
                    const place = { code, path, ...(stepKey !== undefined && { stepKey }) };
                    const hinted = (): string =>
                        desired === undefined ? '' : `. ${hintOf({ channelId, to: kindOf(code) })(desired)}`;
                    if (severity) issues.add({ ...place, message: message + hinted(), severity });
                    else issues.addLazily(() => ({ ...place, message: message + hinted() }));
                }
                yield;
            }
            lists.push(issues.list);
        }
        return lists;
    }

    private judge({ reference, channelId }: Named): readonly Fault[] {
        const { to, code, path } = reference;
        if (to === 'file') return fileFaults(reference, this.found.files({ channelId, code }), this.found.now);
        if (to === 'pipeline')
            return this.found.pipelines ? startFaults(reference, this.found.pipelines({ channelId, code })) : [];
        if (to === 'secret') {
            const problem = missing(this.found.secrets({ channelId, code }));
            if (!problem) return [];
            const message = `${path} is ${show(code)}; ${problem('secret')}`;
            return [{ code: 'SECRET_NOT_FOUND', message, wanted: code }];
        }
        const connection = this.found.connections({ channelId, code });
        const problem = missing(connection);
        if (!problem) return this.checkConnection({ reference, channelId }, connection!);
        const message = `${path} is ${show(code)}; ${problem('connection')}`;
        return [{ code: 'CONNECTION_NOT_FOUND', message, wanted: code }];
    }

    private checkConnection({ reference, channelId }: Named, connection: KnownConnection): readonly Fault[] {
        const { registry } = this;
        const stated = `${reference.path} is ${show(reference.code)}, a connection`;
        if (!fitsConnection(registry, connection.type, reference.types)) {
            const message = `${stated} of type ${connection.type}; allowed: ${reference.types!.join(', ')}`;
            return [{ code: 'CONNECTION_TYPE_MISMATCH', message }];
        }
        const read = readConnection(connection, registry);
        if ('problem' in read)
            return [{ code: 'CONFIG_INVALID', message: `${stated} that cannot be used: ${read.problem}` }];
        const blocked = blockedSettings(connection, registry, this.hostProblem).map(({ message }): Fault => ({
            code: 'CONFIG_INVALID',
            message: `${stated} whose ${message}`,
        }));
        const unknown = secretsOf(connection, registry).flatMap(({ code, path }): Fault[] => {
            const problem = missing(this.found.secrets({ channelId, code }));
            if (!problem) return [];
            const message = `${stated} whose settings.${path} is ${show(code)}; ${problem('secret')}`;
            return [{ code: 'SECRET_NOT_FOUND', message, wanted: code }];
        });
        return [...blocked, ...unknown];
    }
}

function kindOf(code: IssueCode): UnknownReferences['to'] {
    if (code === 'PIPELINE_NOT_FOUND') return 'pipeline';
    return code === 'SECRET_NOT_FOUND' ? 'secret' : 'connection';
}

/**
 * A run without its file reads nothing and reports that, so this does not prevent publishing. With a file that its extractor cannot read, every run would fail.
 */
function fileFaults(
    { path, code, formats }: DefinitionReference,
    file: KnownFile | undefined,
    now: Date,
): readonly Fault[] {
    const until = 'until then the step reads nothing';
    if (!file) {
        const message = `${path} is ${show(code)}; the channel has no file with this id. Upload it and name its id; ${until}`;
        return [{ code: 'FILE_NOT_FOUND', message, severity: 'WARNING' }];
    }
    const stated = `${path} is ${show(code)}, the file ${show(file.filename)}`;
    const problem = formats && unreadable(file.format, formats);
    const issues: Fault[] =
        problem === undefined ? [] : [{ code: 'FILE_TYPE_MISMATCH', message: `${stated}: ${problem}` }];
    if (file.expiresAt === null) return issues;
    const at = file.expiresAt.toISOString();
    return [
        ...issues,
        file.expiresAt > now
            ? {
                  code: 'FILE_EXPIRES',
                  message: `${stated}, which expires at ${at}; runs that are started later read nothing. To keep it, upload it with persistent: true and name its new id`,
                  severity: 'WARNING',
              }
            : {
                  code: 'FILE_EXPIRED',
                  message: `${stated}, which expired at ${at}. Upload it again and name its new id; ${until}`,
                  severity: 'WARNING',
              },
    ];
}

/** A hook that cannot start its pipeline fails each time it is called. The pipeline may be created later, so this does not prevent publishing. */
function startFaults({ path, code }: DefinitionReference, pipeline: KnownPipeline | undefined): readonly Fault[] {
    const stated = `${path} is ${show(code)}`;
    if (!pipeline) {
        const message = `${stated}; the channel has no pipeline of this code, so the hook starts nothing`;
        return [{ code: 'PIPELINE_NOT_FOUND', message, wanted: code, severity: 'WARNING' }];
    }
    const problem = whyNotStarted(pipeline);
    if (problem === undefined) return [];
    const message = `${stated}, a pipeline that the hook cannot start: ${problem}`;
    return [{ code: 'PIPELINE_NOT_RUNNABLE', message, severity: 'WARNING' }];
}

function whyNotStarted({ enabled, archived, definition }: KnownPipeline): string | undefined {
    if (archived) return 'it is archived';
    if (!enabled) return 'it is disabled';
    if (!definition) return 'it has no published revision';
    const many = triggersOf(definition).filter(({ type, enabled: isUsable }) => type === 'MANUAL' && isUsable).length;
    if (many === 0) return 'it has no enabled MANUAL trigger; add one or enable it';
    return many === 1 ? undefined : `it has ${many} enabled MANUAL triggers; allowed: one`;
}

function missing(row: { readonly enabled: boolean } | undefined): ((what: string) => string) | undefined {
    if (!row) return what => `the channel has no ${what} of this code`;
    return row.enabled ? undefined : what => `there is such a ${what}, but ${PRUNED}`;
}
