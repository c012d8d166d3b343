import type { StatementProgram } from '../../core/adapter/loader';
import type { ProductState } from '../entity-descriptions/product-state';
import { variant } from '../entity-descriptions/variant';
import type { ChannelFacts } from '../lookup/reference';
import type { Id } from '../../database/write';
import type { DesiredProduct } from './desired';
import type { Diff } from '../entities/diff';
import { type CatalogueContext, touchProduct, touchVariant } from './catalogue';
import { assignToChannel, removeFromChannel } from './plan-stock-and-prices';
import { commitProgram, type CommitProgram, type PlanRules } from './plan-rules';
import { applyList, type ListMode } from '../entities/load-arguments';

/** The channels that a product is to be in; the default channel and the run's own are never left. */
export function requestedChannels(
    { reference }: CatalogueContext,
    desired: readonly ChannelFacts[],
    { now, mode }: { readonly now: readonly Id[]; readonly mode: ListMode },
): ReadonlySet<Id> {
    const hidden = reference.channels.flatMap(({ id, isWritable }) => (!isWritable && now.includes(id) ? [id] : []));
    const given = desired.map(({ id }) => id);
    return new Set([reference.channel.id, reference.defaultChannel.id, ...applyList(mode, now, given), ...hidden]);
}

interface ChannelPlan {
    readonly desired: DesiredProduct;
    readonly existing: ProductState | undefined;
    readonly product: ProductState;
    readonly diff: Diff;
}

interface ChannelCommits {
    readonly moveProduct: CommitProgram;
    readonly moveVariants: CommitProgram;
}
const NOTHING: ChannelCommits = {
    moveProduct: commitProgram(() => undefined),
    moveVariants: commitProgram(() => undefined),
};

/**
 * Moves a product between channels as ProductService.assignProductsToChannel and removeProductsFromChannel do: first the
 * product, so that new variants know its channels, and its variants at the end, with the prices that they have then.
 */
export function planChannels(rules: PlanRules, { desired, existing, product, diff }: ChannelPlan): ChannelCommits {
    const { catalogue, work, modes } = rules;
    const mode = modes.channels;
    if (!desired.channels || mode === 'SKIP') return NOTHING;
    const { reference } = catalogue;
    const token = (id: Id): string => reference.channels.find(channel => channel.id === id)?.token ?? String(id);
    const before = product.channels!.now;
    const wanted = requestedChannels(catalogue, desired.channels, { now: before, mode });
    const added = reference.channels.filter(({ id }) => wanted.has(id) && !before.includes(id));
    const removed = before.filter(id => !wanted.has(id));
    if (added.length + removed.length === 0) return NOTHING;
    const moveProduct = commitProgram(() => {
        diff.add('channels', existing ? before.map(token).sort() : null, [...wanted].map(token).sort());
        product.channels!.replace(wanted);
        touchProduct(work, product);
    });
    const moveVariants = function* (): StatementProgram<void> {
        for (const state of work.of(variant).ownedBy(product)) {
            for (const channel of added)
                if (!state.channels!.has(channel.id)) yield* assignToChannel(rules, state, channel);
            for (const id of removed) removeFromChannel(state, id);
            touchVariant(work, state);
        }
    };
    return { moveProduct, moveVariants };
}
