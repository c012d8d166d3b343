import type { StatementProgram } from '../../core/adapter/loader';
import type { Strategy } from '../entities/load-arguments';
import type { KeyVariants } from '../entities/key-variants';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { ReadyImages } from '../asset-import/asset-downloader';
import type { CatalogueContext } from './catalogue';
import type { ListModes, MissingPrice } from './load-config';
import type { StrategyPrices } from './price-sync';

/** What a batch of products or variants is planned by. */
export interface PlanRules {
    readonly catalogue: CatalogueContext;
    readonly work: UnitOfWork;
    readonly answers: StrategyPrices;
    /** False in a dry run. */
    readonly isLive: boolean;
    readonly strategy: Strategy;
    readonly createsFacetValues: boolean;
    readonly missingPrice: MissingPrice;
    readonly modes: ListModes;
    readonly pictures: ReadyImages;
    /** The keys that records of the run have given in other spellings. */
    readonly spelt?: KeyVariants;
}

/** The work to do once a record is known to be valid; usually without statements. */
export type CommitProgram = () => StatementProgram<void> | undefined;

export function commitProgram(work: () => unknown): CommitProgram {
    return () => {
        work();
        return undefined;
    };
}

export function* inSequence(commits: readonly CommitProgram[]): StatementProgram<void> {
    for (const commit of commits) {
        const script = commit();
        if (script) yield* script;
    }
}
