import type { Registry } from '../../core/adapter/registry';
import type { HostProblem } from '../../core/schema/address-fields';
import { clause, type FactText, type Problem } from '../../core/errors/rendered';
import { ISSUE_TEXTS } from '../../core/schema/issue-texts';
import { issueAt, issueFacts, type SchemaIssue } from '../../core/schema/issues';
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
export type HintOf = (gap: UnknownReferences) => (code: string) => FactText;

/** A reference of a definition, with the channel in which it is looked up. */
interface Named {
    readonly reference: DefinitionReference;
    readonly channelId: Id;
}

interface Fault {
    readonly code: IssueCode;
    /** The issue, with the hint for a missing code. */
    readonly issue: (hint: Hint) => SchemaIssue;
    /** The missing code. */
    readonly wanted?: string;
    readonly severity?: 'WARNING';
}

type Hint = (code: string) => FactText;

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
                for (const { code, issue, severity } of this.judge({ reference, channelId })) {
                    const { path, stepKey } = reference;
                    const worded = (): Issue => ({
                        code,
                        ...(stepKey !== undefined && { stepKey }),
                        ...issue(unknown => hintOf({ channelId, to: kindOf(code) })(unknown)),
                        path,
                    });
                    if (severity) issues.add({ ...worded(), severity });
                    else issues.addLazily(worded);
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
            const fault = secretFault(path, code, this.found.secrets({ channelId, code }));
            return fault ? [fault] : [];
        }
        const connection = this.found.connections({ channelId, code });
        const value = show(code);
        if (!connection)
            return [
                {
                    code: 'CONNECTION_NOT_FOUND',
                    wanted: code,
                    issue: hint => issueAt(path, ISSUE_TEXTS.noConnection, { value, hint: hint(code) }),
                },
            ];
        if (connection.enabled) return this.checkConnection({ reference, channelId }, connection);
        const issue = issueAt(path, ISSUE_TEXTS.disabledConnection, { value, reason: PRUNED });
        return [{ code: 'CONNECTION_NOT_FOUND', issue: () => issue }];
    }

    private checkConnection({ reference, channelId }: Named, connection: KnownConnection): readonly Fault[] {
        const { registry } = this;
        const { path } = reference;
        const value = show(reference.code);
        if (!fitsConnection(registry, connection.type, reference.types)) {
            const facts = { value, type: connection.type, allowed: reference.types!.join(', ') };
            return [
                { code: 'CONNECTION_TYPE_MISMATCH', issue: () => issueAt(path, ISSUE_TEXTS.connectionType, facts) },
            ];
        }
        const read = readConnection(connection, registry);
        if ('problem' in read) {
            const issue = issueAt(path, ISSUE_TEXTS.connectionUnusable, { value, reason: read.problem });
            return [{ code: 'CONFIG_INVALID', issue: () => issue }];
        }
        const within = (reason: SchemaIssue): SchemaIssue =>
            issueAt(path, ISSUE_TEXTS.connectionWith, {
                value,
                reason: issueFacts([reason]),
            });
        const blocked = blockedSettings(connection, registry, this.hostProblem).map((reason): Fault => ({
            code: 'CONFIG_INVALID',
            issue: () => within(reason),
        }));
        const unknown = secretsOf(connection, registry).flatMap((secret): Fault[] => {
            const known = this.found.secrets({ channelId, code: secret.code });
            const fault = secretFault(`settings.${secret.path}`, secret.code, known);
            return fault ? [{ ...fault, issue: hint => within(fault.issue(hint)) }] : [];
        });
        return [...blocked, ...unknown];
    }
}

function secretFault(path: string, code: string, known: KnownSecret | undefined): Fault | undefined {
    if (known?.enabled) return undefined;
    const value = show(code);
    if (known) {
        const issue = issueAt(path, ISSUE_TEXTS.disabledSecret, { value, reason: PRUNED });
        return { code: 'SECRET_NOT_FOUND', issue: () => issue };
    }
    return {
        code: 'SECRET_NOT_FOUND',
        wanted: code,
        issue: hint => issueAt(path, ISSUE_TEXTS.noSecret, { value, hint: hint(code) }),
    };
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
    const value = show(code);
    if (!file)
        return [
            { code: 'FILE_NOT_FOUND', issue: () => issueAt(path, ISSUE_TEXTS.noFile, { value }), severity: 'WARNING' },
        ];
    const facts = { value, file: show(file.filename) };
    const reason = formats && unreadable(file.format, formats);
    const issues: readonly Fault[] =
        reason === undefined
            ? []
            : [
                  {
                      code: 'FILE_TYPE_MISMATCH',
                      issue: () => issueAt(path, ISSUE_TEXTS.fileType, { ...facts, reason }),
                  },
              ];
    if (file.expiresAt === null) return issues;
    const isKept = file.expiresAt > now;
    const text = isKept ? ISSUE_TEXTS.fileExpires : ISSUE_TEXTS.fileExpired;
    const issue = issueAt(path, text, { ...facts, time: file.expiresAt.toISOString() });
    return [...issues, { code: isKept ? 'FILE_EXPIRES' : 'FILE_EXPIRED', issue: () => issue, severity: 'WARNING' }];
}

/** A hook that cannot start its pipeline fails each time it is called. The pipeline may be created later, so this does not prevent publishing. */
function startFaults({ path, code }: DefinitionReference, pipeline: KnownPipeline | undefined): readonly Fault[] {
    const value = show(code);
    if (!pipeline)
        return [
            {
                code: 'PIPELINE_NOT_FOUND',
                issue: hint => issueAt(path, ISSUE_TEXTS.noPipeline, { value, hint: hint(code) }),
                wanted: code,
                severity: 'WARNING',
            },
        ];
    const reason = whyNotStarted(pipeline);
    if (reason === undefined) return [];
    const issue = issueAt(path, ISSUE_TEXTS.pipelineNotStarted, { value, reason });
    return [{ code: 'PIPELINE_NOT_RUNNABLE', issue: () => issue, severity: 'WARNING' }];
}

function whyNotStarted({ enabled, archived, definition }: KnownPipeline): Problem | undefined {
    if (archived) return clause`it is archived`;
    if (!enabled) return clause`it is disabled`;
    if (!definition) return clause`it has no published revision`;
    const many = triggersOf(definition).filter(({ type, enabled: isUsable }) => type === 'MANUAL' && isUsable).length;
    if (many === 0) return clause`it has no enabled MANUAL trigger; add one or enable it`;
    return many === 1 ? undefined : clause`it has ${many} enabled MANUAL triggers; allowed: one`;
}
