import type { Script } from '../../core/adapter/loader';
import type { Strategy } from '../entities/load-arguments';
import type { SpeltKeys } from '../entities/spelt-keys';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { ReadyPictures } from '../pictures/picture-desk';
import type { CatalogueContext } from './catalogue';
import type { ListModes, MissingPrice } from './load-config';
import type { PriceAnswers } from './price-sync';

/** What a batch of products or variants is planned by. */
export interface PlanRules {
    readonly catalogue: CatalogueContext;
    readonly work: UnitOfWork;
    readonly answers: PriceAnswers;
    /** False in a dry run. */
    readonly isLive: boolean;
    readonly strategy: Strategy;
    readonly createsFacetValues: boolean;
    readonly missingPrice: MissingPrice;
    readonly modes: ListModes;
    readonly pictures: ReadyPictures;
    /** The keys that records of the run have given in other spellings. */
    readonly spelt?: SpeltKeys;
}

/** The work to do once a record is known to be valid; usually without statements. */
export type CommitScript = () => Script<void> | undefined;

export function commitScript(work: () => unknown): CommitScript {
    return () => {
        work();
        return undefined;
    };
}

export function* inOrder(commits: readonly CommitScript[]): Script<void> {
    for (const commit of commits) {
        const script = commit();
        if (script) yield* script;
    }
}
