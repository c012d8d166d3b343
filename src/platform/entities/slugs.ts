import type { StatementProgram } from '../../core/adapter/loader';
import type { Id } from '../../database/write';
import { column, EMPTY, name, select, sql } from '../../database/statement';
import type { Diff } from './diff';
import { type EntityState, storedToken } from './entity-state';
import type { EntityDescription } from './description';
import type { EntityStore } from './entity-store';
import { nextSlug, numberedKey } from './slug';
import type { UnitOfWork, WorkPart } from './unit-of-work';

export interface SlugRequest {
    readonly language: string;
    readonly slug: string;
    /** The entity that requests it; undefined for one that does not exist yet. */
    readonly token: string | undefined;
    /** The slug is derived from a name: a number is appended to it, where Vendure would replace the number at its end. */
    readonly isMade?: boolean;
    /** Slugs that it leaves to others. */
    readonly leaves?: (slug: string) => boolean;
}

/** The slug that is tried after another one. */
function nextTry({ slug, isMade = false }: SlugRequest, candidate: string, suffix: number): string {
    return isMade ? numberedKey(slug, suffix) : nextSlug(candidate, suffix);
}

const TRIES_AHEAD = 30;

/** The owners of slugs by language, as far as a batch or a dry run has read or planned them. */
class SlugReservations {
    /** Tokens of entities, by "language slug". */
    private readonly owners = new Map<string, Set<string>>();
    /** Slugs of which it is known who has them. */
    private readonly probed = new Set<string>();
    /** Slugs that entities of this batch, or of a dry run, have released. */
    private readonly left = new Set<string>();
    /** The slugs that were read from the database in this batch. */
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

    /** An entity that the database has under a slug, and that nothing planned keeps from having it. */
    claimStored(language: string, slug: string, token: string): void {
        const key = keyOf(language, slug);
        if (this.owners.get(key)?.has(token) === true) return;
        this.claim(language, slug, token);
        this.read.push({ key, token });
    }

    /** Whether an entity has freed a slug that no loaded entity has now. */
    isLeft(language: string, slug: string): boolean {
        const key = keyOf(language, slug);
        return this.left.has(key) && !this.owners.has(key);
    }

    drop(language: string, slug: string, token: string): void {
        this.left.add(keyOf(language, slug));
        this.dropKey(keyOf(language, slug), token);
    }

    settle(): void {
        for (const { key, token } of this.read) this.dropKey(key, token);
        this.read.length = 0;
        this.probed.clear();
        this.left.clear();
    }

    private dropKey(key: string, token: string): void {
        const owners = this.owners.get(key);
        owners?.delete(token);
        if (owners?.size === 0) this.owners.delete(key);
    }
}

/** Those of each kind of entity. */
class ClaimsByKind extends Map<EntityDescription, SlugReservations> implements WorkPart {
    settle(): void {
        for (const claims of this.values()) claims.settle();
    }
}

/** Who has which slug among entities of a kind. */
export function slugReservations(work: UnitOfWork, entity: EntityDescription): SlugReservations {
    const all = work.part(ClaimsByKind);
    const claims = all.get(entity) ?? new SlugReservations();
    all.set(entity, claims);
    return claims;
}

function keyOf(language: string, slug: string): string {
    return `${language} ${slug}`;
}

/** Gives an entity another slug in a language. */
export function moveSlug(
    work: UnitOfWork,
    { entity, platform }: Pick<EntityStore, 'entity' | 'platform'>,
    {
        state,
        language,
        from,
        to,
    }: {
        readonly state: EntityState;
        readonly language: string;
        readonly from: string | undefined;
        readonly to: string | undefined;
    },
): void {
    const claims = slugReservations(work, entity);
    if (from !== undefined) claims.drop(language, from, state.token);
    if (to === undefined) return;
    claims.claim(language, to, state.token);
    if (language === platform.ctx.languageCode) work.of(entity).rename(state, to);
}

/**
 * Reads the owners of the slugs that some records request, and of the next ones if one is taken: at most two
 * statements.
 */
export function* readSlugs(
    store: EntityStore,
    work: UnitOfWork,
    requests: readonly SlugRequest[],
): StatementProgram<void> {
    yield* probe(
        store,
        work,
        requests.map(({ slug }) => slug),
    );
    const claims = slugReservations(work, store.entity);
    const seen = new Map<string, number>();
    const ahead: string[] = [];
    for (const request of requests) {
        const key = keyOf(request.language, request.slug);
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times === 1 && !claims.isTaken(request) && request.leaves?.(request.slug) !== true) continue;
        let candidate = request.slug;
        for (let suffix = 2; suffix <= TRIES_AHEAD + times; suffix++)
            ahead.push((candidate = nextTry(request, candidate, suffix)));
    }
    yield* probe(store, work, ahead);
}

function* probe(
    { entity, table, texts, channels, dialect, platform }: EntityStore,
    work: UnitOfWork,
    slugs: readonly string[],
): StatementProgram<void> {
    const claims = slugReservations(work, entity);
    const unknown = [...new Set(slugs)].filter(slug => !claims.isKnown(slug));
    if (unknown.length === 0) return;
    const e = (property: string) => column('e', table.column(property).name);
    const t = (property: string) => column('t', texts!.column(property).name);
    const c = (property: string) => column('c', channels!.column(property).name);
    const living = table.has('deletedAt') ? sql` AND ${e('deletedAt')} IS NULL` : EMPTY;
    const rows = yield* select<{
        id: Id;
        language: string;
        slug: string;
    }>(sql`SELECT ${e('id')} AS ${name('id')}, ${t('languageCode')} AS ${name('language')}, ${t('slug')} AS ${name('slug')}
        FROM ${texts!.name} AS ${name('t')} ${dialect.lookUp(table.name, 'e', sql`${e('id')} = ${t('base')}${living}`)}
        ${dialect.lookUp(channels!.name, 'c', sql`${c(channels!.owner)} = ${e('id')} AND ${c(channels!.member)} = ${platform.ctx.channelId}`)}
        WHERE ${dialect.oneOf(t('slug'), unknown)} AND ${e('id')} IS NOT NULL AND ${c(channels!.owner)} IS NOT NULL`);
    claims.known(unknown);
    for (const { id, language, slug } of rows) {
        // A loaded entity may have got another slug, or have been deleted, since.
        const state = work.of(entity).withId(id);
        if (!state || (!state.isDeleted && state.text(language, 'slug') === slug))
            claims.claimStored(language, slug, storedToken(id));
    }
}

/** The slug itself, or the first of its successors that no other of its kind has in the channel (Vendure's SlugValidator). */
export function* findFreeSlug(store: EntityStore, work: UnitOfWork, request: SlugRequest): StatementProgram<string> {
    const { language, token, leaves } = request;
    const claims = slugReservations(work, store.entity);
    let candidate = request.slug;
    for (let suffix = 2; ; suffix++) {
        if (!claims.isKnown(candidate)) {
            const ahead = [candidate];
            for (let i = suffix; i < suffix + TRIES_AHEAD; i++)
                ahead.push(nextTry(request, ahead[ahead.length - 1]!, i));
            yield* probe(store, work, ahead);
        }
        if (!claims.isTaken({ language, slug: candidate, token }) && leaves?.(candidate) !== true) return candidate;
        candidate = nextTry(request, candidate, suffix);
    }
}

/** An entity that got another slug than its record requested, because another entity had that one. */
interface PendingSlug {
    readonly store: Pick<EntityStore, 'entity' | 'platform'>;
    readonly state: EntityState;
    readonly language: string;
    readonly slug: string;
    /** The difference of the record, and how it calls the slug. */
    readonly diff: Diff;
    readonly path: string;
}

class SlugWishes implements WorkPart {
    readonly list: PendingSlug[] = [];
    /** Those that no record of the batch has fulfilled. */
    open: readonly PendingSlug[] = [];
    settle(): void {
        this.list.length = 0;
        this.open = [];
    }
}

/** Remembers an entity that gets a slug if a later record of the batch releases it. */
export function requestSlugLater(work: UnitOfWork, slug: PendingSlug): void {
    work.part(SlugWishes).list.push(slug);
}

/** Assigns requested slugs that are free now, after all records of a batch are planned: two entities may have swapped theirs. */
export function grantSlugs(work: UnitOfWork): void {
    const wishes = work.part(SlugWishes);
    let open = wishes.list.splice(0);
    for (let count = -1; open.length !== count;) {
        count = open.length;
        open = open.filter(wish => !grant(work, wish));
    }
    wishes.open = open;
}

/** The wishes of a batch that none of its records has fulfilled, once. */
export function takePendingSlugs(work: UnitOfWork): readonly PendingSlug[] {
    const wishes = work.part(SlugWishes);
    const { open } = wishes;
    wishes.open = [];
    return open;
}

function grant(work: UnitOfWork, { store, state, language, slug, diff, path }: PendingSlug): boolean {
    const claims = slugReservations(work, store.entity);
    if (state.isDeleted || claims.isTaken({ language, slug, token: state.token })) return state.isDeleted;
    const { columns } = state.texts.get(language)!;
    const from = columns.get('slug') as string;
    assignSlug(work, store, { state, language, slug });
    diff.amend(path, from, slug);
    return true;
}

/** Assigns a free slug. */
export function assignSlug(
    work: UnitOfWork,
    store: PendingSlug['store'],
    { state, language, slug }: Pick<PendingSlug, 'state' | 'language' | 'slug'>,
): void {
    const { columns } = state.texts.get(language)!;
    const from = columns.get('slug') as string;
    columns.set('slug', slug);
    moveSlug(work, store, { state, language, from, to: slug });
    if (state.id !== undefined) work.of(store.entity).touch(state);
}
