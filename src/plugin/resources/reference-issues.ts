import { Inject, Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import { show } from '../../core/data/show';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { Issue, IssueCode } from '../../core/pipeline/issues';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { fits, readConnection, secretsOf } from './connection-settings';
import { type DefinitionReference, definitionReferences } from './definition-references';
import { GONE, type KnownConnection, KnownCodes, type KnownSecret } from './known-codes';

type Hint = (code: string) => string;

interface Known {
    readonly connections: ReadonlyMap<string, KnownConnection>;
    readonly secrets: ReadonlyMap<string, KnownSecret>;
}

/** Tells which connections and secrets that a definition needs are not there, or not what the step needs. */
@Injectable()
export class ReferenceIssues {
    constructor(
        private readonly known: KnownCodes,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** Disabled steps need nothing. Two statements, and one more for each kind of which something is missing. */
    async of(channelId: ID, definition: PipelineDefinition): Promise<readonly Issue[]> {
        const named = definitionReferences(definition, this.setup.registry).filter(({ isDisabled }) => !isDisabled);
        const codes = (to: 'secret' | 'connection'): string[] =>
            named.filter(reference => reference.to === to).map(({ code }) => code);
        const connections = await this.known.connections(channelId, codes('connection'));
        const theirs = [...connections.values()].flatMap(connection => secretsOf(connection, this.setup.registry));
        const secrets = await this.known.secrets(channelId, [...codes('secret'), ...theirs.map(({ code }) => code)]);
        const judged = named.flatMap(reference => this.judge(reference, { connections, secrets }));
        return this.told(channelId, judged);
    }

    private judge(reference: DefinitionReference, { connections, secrets }: Known): readonly Fault[] {
        const { to, code, path } = reference;
        if (to === 'secret') {
            const problem = missing(secrets.get(code));
            return problem === undefined
                ? []
                : [
                      {
                          reference,
                          code: 'SECRET_NOT_FOUND',
                          message: `${path} is ${show(code)}; ${problem('secret')}`,
                          wanted: code,
                      },
                  ];
        }
        const connection = connections.get(code);
        const problem = missing(connection);
        if (problem)
            return [
                {
                    reference,
                    code: 'CONNECTION_NOT_FOUND',
                    message: `${path} is ${show(code)}; ${problem('connection')}`,
                    wanted: code,
                },
            ];
        return this.judgeConnection(reference, connection!, secrets);
    }

    private judgeConnection(
        reference: DefinitionReference,
        connection: KnownConnection,
        secrets: Known['secrets'],
    ): readonly Fault[] {
        const { registry } = this.setup;
        const stated = `${reference.path} is ${show(reference.code)}, a connection`;
        if (!fits(registry, connection.type, reference.types)) {
            return [
                {
                    reference,
                    code: 'CONNECTION_TYPE_MISMATCH',
                    message: `${stated} of type ${connection.type}; allowed: ${reference.types!.join(', ')}`,
                },
            ];
        }
        const read = readConnection(connection, registry);
        if ('problem' in read)
            return [{ reference, code: 'CONFIG_INVALID', message: `${stated} that cannot be used: ${read.problem}` }];
        return secretsOf(connection, registry).flatMap(({ code, path }): Fault[] => {
            const problem = missing(secrets.get(code));
            if (!problem) return [];
            return [
                {
                    reference,
                    code: 'SECRET_NOT_FOUND',
                    message: `${stated} whose settings.${path} is ${show(code)}; ${problem('secret')}`,
                    wanted: code,
                },
            ];
        });
    }

    /** With "Did you mean …?" for those that are missing. */
    private async told(channelId: ID, faults: readonly Fault[]): Promise<readonly Issue[]> {
        const hints: Record<'SECRET_NOT_FOUND' | 'CONNECTION_NOT_FOUND', Hint | undefined> = {
            SECRET_NOT_FOUND: undefined,
            CONNECTION_NOT_FOUND: undefined,
        };
        const told: Issue[] = [];
        for (const {
            reference: { path, stepKey },
            code,
            message,
            wanted,
        } of faults) {
            let hint = '';
            if (wanted !== undefined && (code === 'SECRET_NOT_FOUND' || code === 'CONNECTION_NOT_FOUND')) {
                hints[code] ??= await this.known.hints(
                    channelId,
                    code === 'SECRET_NOT_FOUND' ? 'secret' : 'connection',
                );
                hint = `. ${hints[code](wanted)}`;
            }
            told.push({ code, path, ...(stepKey !== undefined && { stepKey }), message: message + hint });
        }
        return told;
    }
}

interface Fault {
    readonly reference: DefinitionReference;
    readonly code: IssueCode;
    readonly message: string;
    /** The code that is missing. */
    readonly wanted?: string;
}

function missing(row: { readonly enabled: boolean } | undefined): ((what: string) => string) | undefined {
    if (!row) return what => `the channel has no ${what} of this code`;
    return row.enabled ? undefined : what => `there is such a ${what}, but ${GONE}`;
}
