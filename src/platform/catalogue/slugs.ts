import type { Script } from '../../core/adapter/loader';
import { select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { product } from '../described/product';
import type { ProductState } from '../described/product-state';
import { storedToken } from '../entities/entity-state';
import { nextSlug } from '../entities/slug';
import type { UnitOfWork, WorkPart } from '../entities/unit-of-work';
import type { CatalogueContext } from './catalogue';
import { as, asName, at } from './tables';

export interface SlugRequest {
    readonly language: string;
    readonly slug: string;
    /** The product that wants it; undefined for one that does not exist yet. */
    readonly token: string | undefined;
}

const TRIES_AHEAD = 30;

/** Who has which slug in a language, as far as a batch or a dry run has asked or planned. */
export class SlugClaims implements WorkPart {
    /** Tokens of products, by "language slug". */
    private readonly owners = new Map<string, Set<string>>();
    /** Slugs of which it is known who has them. */
    private readonly probed = new Set<string>();
    /** What the database has said in this batch. */
    private readonly read: Array<{ readonly key: string; readonly token: string }> = [];

    isTaken({ language, slug, token }: SlugRequest): boolean {
        const owners = this.owners.get(keyOf(language, slug));
        return owners !== undefined && (owners.size > 1 || token === undefined || !owners.has(token));
    }

    isKnown(slug: string): boolean {
        return this.probed.has(slug);
    }

    known(slugs: readonly string[]): void {
        for (const slug of slugs) this.probed.add(slug);
    }

    claim(language: string, slug: string, token: string): void {
        const key = keyOf(language, slug);
        const owners = this.owners.get(key);
        if (owners) owners.add(token);
        else this.owners.set(key, new Set([token]));
    }

    /** A product that the database has under a slug, and that nothing planned keeps from having it. */
    claimStored(language: string, slug: string, token: string): void {
        const key = keyOf(language, slug);
        if (this.owners.get(key)?.has(token) === true) return;
        this.claim(language, slug, token);
        this.read.push({ key, token });
    }

    drop(language: string, slug: string, token: string): void {
        this.dropKey(keyOf(language, slug), token);
    }

    settle(): void {
        for (const { key, token } of this.read) this.dropKey(key, token);
        this.read.length = 0;
        this.probed.clear();
    }

    private dropKey(key: string, token: string): void {
        const owners = this.owners.get(key);
        owners?.delete(token);
        if (owners?.size === 0) this.owners.delete(key);
    }
}

function keyOf(language: string, slug: string): string {
    return `${language} ${slug}`;
}

/** Gives a product another slug in a language. */
export function moveSlug(
    work: UnitOfWork,
    { language: own }: { readonly language: string },
    {
        state,
        language,
        from,
        to,
    }: {
        readonly state: ProductState;
        readonly language: string;
        readonly from: string | undefined;
        readonly to: string | undefined;
    },
): void {
    const claims = work.part(SlugClaims);
    if (from !== undefined) claims.drop(language, from, state.token);
    if (to === undefined) return;
    claims.claim(language, to, state.token);
    if (language === own) work.of(product).rename(state, to);
}

/** Reads who has the slugs that some records want, and, where one is taken, who has the next ones: two statements at most. */
export function* readSlugs(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    requests: readonly SlugRequest[],
): Script<void> {
    yield* probe(
        catalogue,
        work,
        requests.map(({ slug }) => slug),
    );
    const claims = work.part(SlugClaims);
    const seen = new Map<string, number>();
    const ahead: string[] = [];
    for (const request of requests) {
        const key = keyOf(request.language, request.slug);
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times === 1 && !claims.isTaken(request)) continue;
        let candidate = request.slug;
        for (let suffix = 2; suffix <= TRIES_AHEAD + times; suffix++)
            ahead.push((candidate = nextSlug(candidate, suffix)));
    }
    yield* probe(catalogue, work, ahead);
}

function* probe(
    { products: { table, texts, channels }, dialect, reference }: CatalogueContext,
    work: UnitOfWork,
    slugs: readonly string[],
): Script<void> {
    const claims = work.part(SlugClaims);
    const unknown = [...new Set(slugs)].filter(slug => !claims.isKnown(slug));
    if (unknown.length === 0) return;
    const [t, c] = [
        (property: string) => at('t', texts!, property),
        (property: string) => at('c', channels!, property),
    ];
    const rows = yield* select<{
        id: Id;
        language: string;
        slug: string;
    }>(sql`SELECT ${asName(at('p', table, 'id'), 'id')}, ${asName(t('languageCode'), 'language')}, ${asName(t('slug'), 'slug')}
        FROM ${as(texts!, 't')} JOIN ${as(table, 'p')} ON ${at('p', table, 'id')} = ${t('base')} AND ${at('p', table, 'deletedAt')} IS NULL
        JOIN ${as(channels!, 'c')} ON ${c(channels!.owner)} = ${at('p', table, 'id')} AND ${c(channels!.member)} = ${reference.channel.id}
        WHERE ${dialect.oneOf(t('slug'), unknown)}`);
    claims.known(unknown);
    for (const { id, language, slug } of rows) {
        // A product at hand may have been given another slug, or been deleted, since.
        const state = work.of(product).withId(id);
        if (!state || (!state.isDeleted && state.text(language, 'slug') === slug))
            claims.claimStored(language, slug, storedToken(id));
    }
}

/** The slug itself, or the first of its successors that no other product of the channel has (Vendure's SlugValidator). */
export function* freeSlug(
    catalogue: CatalogueContext,
    work: UnitOfWork,
    { language, slug, token }: SlugRequest,
): Script<string> {
    const claims = work.part(SlugClaims);
    let candidate = slug;
    for (let suffix = 2; ; suffix++) {
        if (!claims.isKnown(candidate)) {
            const ahead = [candidate];
            for (let i = suffix; i < suffix + TRIES_AHEAD; i++) ahead.push(nextSlug(ahead[ahead.length - 1]!, i));
            yield* probe(catalogue, work, ahead);
        }
        if (!claims.isTaken({ language, slug: candidate, token })) return candidate;
        candidate = nextSlug(candidate, suffix);
    }
}
