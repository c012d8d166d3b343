import type { Script } from '../../core/adapter/loader';
import { type CatalogueContext, as, asName, at } from './read-entities';
import { nextSlug } from '../entities/slug';
import { type World, slugKey } from './world';
import { select, sql } from '../../database/statement';
import type { Id } from '../../database/write';

export interface SlugWish {
    readonly language: string;
    readonly slug: string;
    /** The product that wants it; undefined for one that does not exist yet. */
    readonly token: unknown;
}

const TRIES_AHEAD = 30;

/** Reads who has the slugs that some records want, and, where one is taken, who has the next ones: two statements at most. */
export function* readSlugs(catalogue: CatalogueContext, world: World, wishes: readonly SlugWish[]): Script<void> {
    yield* probe(
        catalogue,
        world,
        wishes.map(({ slug }) => slug),
    );
    const seen = new Map<string, number>();
    const ahead: string[] = [];
    for (const wish of wishes) {
        const key = slugKey(wish.language, wish.slug);
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times === 1 && !isTaken(world, key, wish.token)) continue;
        let candidate = wish.slug;
        for (let suffix = 2; suffix <= TRIES_AHEAD + times; suffix++)
            ahead.push((candidate = nextSlug(candidate, suffix)));
    }
    yield* probe(catalogue, world, ahead);
}

function isTaken(world: World, key: string, token: unknown): boolean {
    const owners = world.slugs.get(key);
    return owners !== undefined && (owners.size > 1 || (owners.size === 1 && !owners.has(token)));
}

function* probe(
    { tables: { product, productText, productChannels }, dialect, reference }: CatalogueContext,
    world: World,
    slugs: readonly string[],
): Script<void> {
    const unknown = [...new Set(slugs)].filter(slug => !world.probedSlugs.has(slug));
    if (unknown.length === 0) return;
    const rows = yield* select<{
        id: Id;
        language: string;
        slug: string;
    }>(sql`SELECT ${asName(at('p', product, 'id'), 'id')},
        ${asName(at('t', productText, 'languageCode'), 'language')}, ${asName(at('t', productText, 'slug'), 'slug')}
        FROM ${as(productText, 't')} JOIN ${as(product, 'p')} ON ${at('p', product, 'id')} = ${at('t', productText, 'base')} AND ${at('p', product, 'deletedAt')} IS NULL
        JOIN ${as(productChannels, 'c')} ON ${at('c', productChannels, productChannels.owner)} = ${at('p', product, 'id')}
            AND ${at('c', productChannels, productChannels.member)} = ${reference.channel.id}
        WHERE ${dialect.oneOf(at('t', productText, 'slug'), unknown)}`);
    for (const slug of unknown) world.probedSlugs.add(slug);
    for (const { id, language, slug } of rows) {
        // A product at hand may have been given another slug, or been deleted, since.
        const state = world.products.get(id);
        if (!state || (!state.isDeleted && state.text(language, 'slug') === slug))
            world.claimStored(slugKey(language, slug), id);
    }
}

/** The slug itself, or the first of its successors that no other product of the channel has (Vendure's SlugValidator). */
export function* freeSlug(
    catalogue: CatalogueContext,
    world: World,
    { language, slug, token }: SlugWish,
): Script<string> {
    let candidate = slug;
    for (let suffix = 2; ; suffix++) {
        if (!world.probedSlugs.has(candidate)) {
            const ahead = [candidate];
            for (let i = suffix; i < suffix + TRIES_AHEAD; i++) ahead.push(nextSlug(ahead[ahead.length - 1]!, i));
            yield* probe(catalogue, world, ahead);
        }
        if (!isTaken(world, slugKey(language, candidate), token)) return candidate;
        candidate = nextSlug(candidate, suffix);
    }
}
