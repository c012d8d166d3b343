import { Inject, Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import type { Script } from '../../core/adapter/loader';
import { show } from '../../core/data/show';
import { type Issue, type IssueCode, Issues } from '../../core/pipeline/issues';
import { RESOURCE_CODE } from '../../core/schema/fields';
import type { Database } from '../../platform/sql/database';
import type { Id } from '../../platform/sql/write';
import type { FlowSetup } from '../setup';
import { FLOW_DATABASE, FLOW_SETUP } from '../tokens';
import { fits, readConnection, secretsOf } from './connection-settings';
import { type DefinitionReference, definitionReferences } from './definition-references';
import { GONE, type Known, type KnownConnection, KnownCodes, type KnownFile, type KnownSecret } from './known-codes';

type Hint = (code: string) => string;

/** A definition, which may have faults, and the channel in which it runs. */
export interface PlacedDefinition {
    readonly channelId: Id;
    readonly definition: unknown;
}

interface Found {
    readonly connections: Known<KnownConnection>;
    readonly secrets: Known<KnownSecret>;
    readonly files: Known<KnownFile>;
    readonly now: Date;
}

/** Something that a definition names, in the channel where it is looked for. */
interface Named {
    readonly reference: DefinitionReference;
    readonly channelId: Id;
}

interface Fault {
    readonly code: IssueCode;
    readonly message: string;
    /** The code that is missing. */
    readonly wanted?: string;
    readonly severity?: 'WARNING';
}

/** Tells which connections, secrets and files that definitions name are not there, or not what the step needs. */
@Injectable()
export class ReferenceIssues {
    constructor(
        private readonly known: KnownCodes,
        @Inject(FLOW_DATABASE) private readonly database: Database,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Disabled steps need nothing. At most three statements, and one more for each kind of which something is missing. */
    async of(channelId: ID, definition: unknown): Promise<readonly Issue[]> {
        const [issues] = await this.database.run(() => this.script([{ channelId: channelId as Id, definition }]));
        return issues!;
    }

    /** As `of`, for each of these definitions; no more statements than for one, hints apart. */
    *script(all: readonly PlacedDefinition[]): Script<ReadonlyArray<readonly Issue[]>> {
        const { registry } = this.setup;
        const named = all.map(({ channelId, definition }) =>
            definitionReferences(definition, registry)
                // What can be no code has been told by the check of the step's configuration.
                .filter(({ isDisabled, to, code }) => !isDisabled && (to === 'file' || RESOURCE_CODE.test(code)))
                .map((reference): Named => ({ reference, channelId })),
        );
        const wanted = (to: DefinitionReference['to']) =>
            named
                .flat()
                .flatMap(({ reference, channelId }) =>
                    reference.to === to ? [{ channelId, code: reference.code }] : [],
                );
        const connections = yield* this.known.connections(wanted('connection'));
        const theirs = wanted('connection').flatMap(({ channelId, code }) => {
            const connection = connections({ channelId, code });
            return connection ? secretsOf(connection, registry).map(secret => ({ channelId, code: secret.code })) : [];
        });
        const secrets = yield* this.known.secrets([...wanted('secret'), ...theirs]);
        const files = yield* this.known.files(wanted('file'));
        const found = { connections, secrets, files, now: new Date() };
        const hints = new Map<string, Hint>();
        const issues: Array<readonly Issue[]> = [];
        for (const each of named) issues.push(yield* this.issues(each, found, hints));
        return issues;
    }

    /** With "Did you mean …?" for those that are missing. */
    private *issues(named: readonly Named[], found: Found, hints: Map<string, Hint>): Script<readonly Issue[]> {
        const issues = new Issues();
        for (const one of named) {
            for (const { code, message, wanted, severity } of this.judge(one, found)) {
                // Nobody reads them, and for each its near ones would be looked for.
                if (issues.full) return issues.list;
                const hint = wanted === undefined ? '' : `. ${(yield* this.hint(one.channelId, code, hints))(wanted)}`;
                const { path, stepKey } = one.reference;
                issues.add({
                    code,
                    path,
                    ...(stepKey !== undefined && { stepKey }),
                    message: message + hint,
                    ...(severity && { severity }),
                });
            }
        }
        return issues.list;
    }

    private *hint(channelId: Id, code: IssueCode, hints: Map<string, Hint>): Script<Hint> {
        const to = code === 'SECRET_NOT_FOUND' ? 'secret' : 'connection';
        const key = `${to} ${channelId}`;
        const hint = hints.get(key) ?? (yield* this.known.hints(channelId, to));
        hints.set(key, hint);
        return hint;
    }

    private judge({ reference, channelId }: Named, found: Found): readonly Fault[] {
        const { to, code, path } = reference;
        if (to === 'file') return fileFaults(reference, found.files({ channelId, code }), found.now);
        if (to === 'secret') {
            const problem = missing(found.secrets({ channelId, code }));
            if (!problem) return [];
            const message = `${path} is ${show(code)}; ${problem('secret')}`;
            return [{ code: 'SECRET_NOT_FOUND', message, wanted: code }];
        }
        const connection = found.connections({ channelId, code });
        const problem = missing(connection);
        if (!problem) return this.judgeConnection({ reference, channelId }, connection!, found.secrets);
        const message = `${path} is ${show(code)}; ${problem('connection')}`;
        return [{ code: 'CONNECTION_NOT_FOUND', message, wanted: code }];
    }

    private judgeConnection(
        { reference, channelId }: Named,
        connection: KnownConnection,
        secrets: Known<KnownSecret>,
    ): readonly Fault[] {
        const { registry } = this.setup;
        const stated = `${reference.path} is ${show(reference.code)}, a connection`;
        if (!fits(registry, connection.type, reference.types)) {
            const message = `${stated} of type ${connection.type}; allowed: ${reference.types!.join(', ')}`;
            return [{ code: 'CONNECTION_TYPE_MISMATCH', message }];
        }
        const read = readConnection(connection, registry);
        if ('problem' in read)
            return [{ code: 'CONFIG_INVALID', message: `${stated} that cannot be used: ${read.problem}` }];
        return secretsOf(connection, registry).flatMap(({ code, path }): Fault[] => {
            const problem = missing(secrets({ channelId, code }));
            if (!problem) return [];
            const message = `${stated} whose settings.${path} is ${show(code)}; ${problem('secret')}`;
            return [{ code: 'SECRET_NOT_FOUND', message, wanted: code }];
        });
    }
}

/** A run without its file reads nothing and says so (spec 1, "Errors"); that keeps nobody from publishing. */
function fileFaults({ path, code }: DefinitionReference, file: KnownFile | undefined, now: Date): readonly Fault[] {
    const until = 'until then the step reads nothing';
    if (!file) {
        const message = `${path} is ${show(code)}; the channel has no file with this id. Upload it and name its id; ${until}`;
        return [{ code: 'FILE_NOT_FOUND', message, severity: 'WARNING' }];
    }
    if (file.expiresAt === null || file.expiresAt > now) return [];
    const message = `${path} is ${show(code)}, the file ${show(file.filename)}, which expired at ${file.expiresAt.toISOString()}. Upload it again and name its new id; ${until}`;
    return [{ code: 'FILE_EXPIRED', message, severity: 'WARNING' }];
}

function missing(row: { readonly enabled: boolean } | undefined): ((what: string) => string) | undefined {
    if (!row) return what => `the channel has no ${what} of this code`;
    return row.enabled ? undefined : what => `there is such a ${what}, but ${GONE}`;
}
