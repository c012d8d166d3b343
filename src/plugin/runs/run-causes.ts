import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { ID } from '@vendure/core';
import { type EntityManager, In } from 'typeorm';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun, type RunCause } from '../entities/run';

/** So many pipelines may have led to a run. */
export const MOST_CAUSES = 50;

/** The runs that have caused what is being done, the first one first; read with the connection of whoever asks. */
type Chain = (shop: EntityManager) => Promise<readonly RunCause[]>;

/** A chain with a further cause. A pipeline stands in it once, by its latest run: a circle that is allowed must not make it longer and longer. */
export function chainBehind(causes: readonly RunCause[], cause: RunCause): readonly RunCause[] {
    return [...causes.filter(({ pipelineCode }) => pipelineCode !== cause.pipelineCode), cause];
}

interface Doing {
    readonly chain: Chain;
    /** Nobody is to be told of it. */
    readonly isUnheard?: boolean;
}

const NOBODYS: Doing = { chain: () => Promise.resolve([]) };

/**
 * Knows by which runs it is caused whatever this process is doing: all that is awaited within `during`, subscribers of
 * events included. What the shop does later in a job of its own is not known to be caused by anything.
 */
@Injectable()
export class RunCauses {
    private readonly doing = new AsyncLocalStorage<Doing>();

    /** Does what a run does. Nothing is read before somebody asks for the chain. */
    during<T>(runId: ID, work: () => Promise<T>): Promise<T> {
        let known: Promise<readonly RunCause[]> | undefined;
        const chain: Chain = shop => {
            known ??= chainOf(shop, [runId]).catch((error: unknown) => {
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
        const chain: Chain = async shop => (await now.chain(shop)).reduce(chainBehind, others);
        return this.doing.run({ ...now, chain }, work);
    }

    /** Does what says nothing new, so that no trigger is to hear of it. */
    unheard<T>(work: () => Promise<T>): Promise<T> {
        return this.doing.run({ ...this.now, isUnheard: true }, work);
    }

    /** The chain behind what is being done now; empty where no run has caused it, undefined where nobody is to hear of it. */
    async current(shop: EntityManager): Promise<readonly RunCause[] | undefined> {
        const { chain, isUnheard } = this.now;
        return isUnheard ? undefined : chain(shop);
    }

    private get now(): Doing {
        return this.doing.getStore() ?? NOBODYS;
    }
}

/** What has led to some runs, and these themselves. */
export async function chainOf(shop: EntityManager, runIds: readonly ID[]): Promise<readonly RunCause[]> {
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
        return [...(causes ?? []), { pipelineCode, runId }].reduce(chainBehind, chain);
    }, []);
}
