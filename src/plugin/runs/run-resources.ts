import { Inject, Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import type { Connection } from '../../core/adapter/connection';
import type { Resources } from '../../core/adapter/context';
import { noResources } from '../../core/adapter/no-resources';
import { learnSecret, type Redactor } from '../../core/adapter/redactor';
import type { Secret } from '../../core/adapter/secret';
import { asFlowError, type FlowError, flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import { startsRuns, stepKind } from '../../core/steps/kinds';
import { ProcessTaskQueue } from '../process-task-queue';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { connectionServers, fitsConnection, secretsOf } from '../options/connection-settings';
import { Connections } from '../connections/connections';
import { type DefinitionReference, findingDefinitionReferences } from '../references/definition-references';
import { Secrets } from '../secrets/secrets';

/** The resources that a run refers to, and the hosts that they lead to. */
interface OpenResources extends Pick<Resources, 'secrets' | 'connections'> {
    /** The servers of its saved connections, as entries of `allowedHosts`. */
    servers(): readonly string[];
}

/** Opens all resources of a run before its first step starts. If one is missing or unreadable, the run fails, not the step. */
@Injectable()
export class RunResources {
    constructor(
        private readonly connections: Connections,
        private readonly secrets: Secrets,
        private readonly taskQueue: ProcessTaskQueue,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /**
     * The connections and secrets of all steps that may run and of the hooks, and the secrets that those connections name. The redactor learns each value
     * before anybody else gets it. Triggers are left out: what they refer to guards the way in, and the run is already past it.
     * Throws CONNECTION_NOT_FOUND, CONNECTION_INVALID, SECRET_NOT_FOUND, SECRET_UNREADABLE and MASTER_KEY_INVALID.
     */
    async resolve(
        channelId: ID,
        definition: PipelineDefinition | Pick<PipelineDefinition, 'hooks'>,
        redactor: Redactor,
    ): Promise<OpenResources> {
        const { registry } = this.setup;
        const needed = await this.needed(definition);
        const named = needed.filter(({ to }) => to === 'connection');
        const connections =
            named.length === 0
                ? new Map<string, Connection>()
                : await this.connections.openAll(channelId, codesOf(named));
        for (const reference of named) this.checkType(reference, connections.get(reference.code)!);
        const theirs = [...connections.values()].flatMap(connection => secretsOf(connection, registry));
        const codes = codesOf([...needed.filter(({ to }) => to === 'secret'), ...theirs]);
        const secrets = codes.length === 0 ? undefined : await this.secrets.openAll(channelId, codes);
        for (const secret of secrets?.values() ?? []) learnSecret(redactor, secret);
        const opened = { get: (code: string): Secret => secrets?.get(code) ?? noResources.secrets.get(code) };
        return {
            secrets: opened,
            connections: { get: code => connections.get(code) ?? noResources.connections.get(code) },
            servers: () =>
                [...connections.values()].flatMap(connection => connectionServers(connection, registry, opened)),
        };
    }

    /**
     * Teaches the redactor every secret of a definition that can be read, each by itself, and answers why the others cannot.
     * Throws when the database does not answer.
     */
    async teach(channelId: ID, definition: PipelineDefinition, redactor: Redactor): Promise<readonly FlowError[]> {
        const needed = await this.needed(definition);
        const problems: FlowError[] = [];
        const opened = async <T>(open: () => Promise<T>): Promise<readonly T[]> => {
            try {
                return [await open()];
            } catch (thrown) {
                const error = asFlowError(thrown);
                if (error.treat === 'transient') throw error;
                problems.push(error);
                return [];
            }
        };
        const codes = codesOf(needed.filter(({ to }) => to === 'secret')).map(code => ({ code }));
        for (const code of codesOf(needed.filter(({ to }) => to === 'connection')))
            for (const connection of await opened(() => this.connections.open(channelId, code)))
                codes.push(...secretsOf(connection, this.setup.registry));
        for (const code of codesOf(codes))
            for (const secret of await opened(() => this.secrets.open(channelId, code))) learnSecret(redactor, secret);
        return problems;
    }

    private async needed(
        definition: PipelineDefinition | Pick<PipelineDefinition, 'hooks'>,
    ): Promise<readonly DefinitionReference[]> {
        // The needs of a step of an unknown kind cannot be determined.
        for (const step of 'steps' in definition ? definition.steps : []) if (!step.disabled) stepKind(step.kind);
        const all = await this.taskQueue.done(findingDefinitionReferences(definition, this.setup.registry));
        return all.filter(reference => !reference.isDisabled && !startsRuns(reference.stepKind));
    }

    /** A type never changes, but a connection may have been deleted and created again since the pipeline was published. */
    private checkType({ code, path, types }: DefinitionReference, { type }: Connection): void {
        if (fitsConnection(this.setup.registry, type, types)) return;
        throw flowError('CONNECTION_INVALID', {
            code,
            problem: `it is of type ${type}, and ${path} takes ${types!.join(', ')}`,
        });
    }
}

function codesOf(references: ReadonlyArray<{ readonly code: string }>): readonly string[] {
    return [...new Set(references.map(({ code }) => code))];
}
