import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import { type EntityManager, In } from 'typeorm';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun, type RunCause } from '../entities/run';

/** The maximum number of pipelines in a chain of causes. */
export const MAX_CAUSES = 50;

/** The runs that have caused the current work, the first one first; read with the caller's connection. */
type Chain = (shop: EntityManager) => Promise<readonly RunCause[]>;

/**
 * Appends a cause to a chain. A pipeline is in it once, with its latest run, so that an allowed cycle does not make the chain longer and longer.
 */
export function extendCauseChain(causes: readonly RunCause[], cause: RunCause): readonly RunCause[] {
    return [...causes.filter(({ pipelineCode }) => pipelineCode !== cause.pipelineCode), cause];
}

interface Doing {
    readonly chain: Chain;
    /** No trigger receives its events. */
    readonly isUnheard?: boolean;
}

const NOBODYS: Doing = { chain: () => Promise.resolve([]) };

/**
 * Tracks which runs cause the current work of this process: everything that is awaited within `during`, including subscribers of events. Work that
 * the shop does later in a separate job has no known cause.
 */
@Injectable()
export class CausationChains {
    private readonly doing = new AsyncLocalStorage<Doing>();

    /** Executes the work of a run. The chain is read only when it is needed. */
    during<T>(runId: ID, work: () => Promise<T>): Promise<T> {
        let known: Promise<readonly RunCause[]> | undefined;
        const chain: Chain = shop => {
            known ??= causeChainOf(shop, [runId]).catch((error: unknown) => {
                known = undefined;
                throw error;
            });
            return known;
        };
        return this.doing.run({ chain }, work);
    }

    /** Does what others have caused as well. */
    besides<T>(others: readonly RunCause[], work: () => Promise<T>): Promise<T> {
        if (others.length === 0) return work();
        const { now } = this;
        const chain: Chain = async shop => (await now.chain(shop)).reduce(extendCauseChain, others);
        return this.doing.run({ ...now, chain }, work);
    }

    /** Executes work that repeats known events, so that no trigger receives them. */
    unheard<T>(work: () => Promise<T>): Promise<T> {
        return this.doing.run({ ...this.now, isUnheard: true }, work);
    }

    /** The chain of the current work; empty if no run has caused it, undefined if no trigger must receive it. */
    async current(shop: EntityManager): Promise<readonly RunCause[] | undefined> {
        const { chain, isUnheard } = this.now;
        return isUnheard ? undefined : chain(shop);
    }

    private get now(): Doing {
        return this.doing.getStore() ?? NOBODYS;
    }
}

/** The runs that led to some runs, and these runs themselves. */
export async function causeChainOf(shop: EntityManager, runIds: readonly ID[]): Promise<readonly RunCause[]> {
    const runs = await shop.getRepository(FlowPipelineRun).find({
        where: { id: In([...runIds]) },
        select: { id: true, pipelineId: true, causes: true },
        order: { createdAt: 'ASC', id: 'ASC' },
    });
    const pipelines = await shop.getRepository(FlowPipeline).find({
        where: { id: In([...new Set(runs.map(({ pipelineId }) => pipelineId))]) },
        select: { id: true, code: true },
    });
    const codes = new Map(pipelines.map(({ id, code }) => [String(id), code]));
    return runs.reduce<readonly RunCause[]>((chain, { id: runId, pipelineId, causes }) => {
        const pipelineCode = codes.get(String(pipelineId)) ?? '';
        return [...(causes ?? []), { pipelineCode, runId }].reduce(extendCauseChain, chain);
    }, []);
}
