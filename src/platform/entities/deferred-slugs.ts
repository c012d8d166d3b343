import type { BatchMemo, StatementProgram } from '../../core/adapter/loader';
import type { Batch } from '../../core/data/record';
import type { JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';
import { type EntityState, storedToken } from './entity-state';
import type { EntityStore } from './entity-store';
import { assignSlug, readSlugs, slugReservations, takePendingSlugs } from './slugs';
import type { UnitOfWork } from './unit-of-work';

/** An entity that got another slug than its record requested, because an entity of a later batch may still have the requested one. */
interface LaterSlug {
    readonly state: Pick<EntityState, 'id'>;
    readonly language: string;
    readonly slug: string;
    /** The slug that it got. If it has another one meanwhile, it keeps that. */
    readonly got: string;
}

/** As it is stored. */
interface StoredSlug extends Omit<LaterSlug, 'state'> {
    readonly id: Id;
}

/** Under which key they are stored. */
const WAITING = 'later-slugs';
/** At most this number of slugs waits; if there are more, the first ones are forgotten, and the next run sets them. */
const MOST_WAITING = 1_000;

/**
 * The slugs that a run's entities get after a record of a later batch releases them: two entities may swap their
 * slugs, wherever they are in a file. If a worker dies with a batch that is loaded and not committed, the additions
 * of that batch are forgotten too.
 */
export class DeferredSlugs {
    private waiting: readonly LaterSlug[] = [];
    private isRecalled = false;
    private isChanged = false;

    keysOf(): readonly string[] {
        return this.isRecalled ? [] : [WAITING];
    }

    recalled(found: ReadonlyMap<string, JsonValue>): void {
        this.isRecalled = true;
        const stored = (found.get(WAITING) ?? []) as unknown as readonly StoredSlug[];
        const earlier = stored.map(({ id, ...slug }) => ({ ...slug, state: { id } }));
        this.waiting = [...earlier, ...this.waiting].slice(-MOST_WAITING);
    }

    loaded(batch: Batch): readonly BatchMemo[] {
        const [record] = batch;
        if (!this.isChanged || !record) return [];
        this.isChanged = false;
        const stored = this.waiting.flatMap(({ state: { id }, ...slug }) =>
            id === undefined ? [] : [{ ...slug, id }],
        );
        return [{ record, key: WAITING, value: stored }];
    }

    /** All records of a batch are planned, and have got the slugs that were free. */
    *grant(work: UnitOfWork, store: EntityStore): StatementProgram<void> {
        const open = takePendingSlugs(work).flatMap(({ state, language, slug }): readonly LaterSlug[] => {
            const got = state.text(language, 'slug');
            return typeof got === 'string' ? [{ state, language, slug, got }] : [];
        });
        this.waiting = [...this.waiting, ...open].slice(-MOST_WAITING);
        this.isChanged ||= open.length > 0;
        const claims = slugReservations(work, store.entity);
        // Only entities that are stored: one that is rolled back has no id.
        const due = this.waiting.filter(
            ({ state, language, slug }) => state.id !== undefined && claims.isLeft(language, slug),
        );
        if (due.length === 0) return;
        yield* store.readById(
            work,
            due.map(({ state }) => state.id!),
        );
        yield* readSlugs(
            store,
            work,
            due.map(({ state, language, slug }) => ({ language, slug, token: storedToken(state.id!) })),
        );
        for (const {
            state: { id },
            language,
            slug,
            got,
        } of due) {
            const state = work.of(store.entity).withId(id!);
            if (!state || state.isDeleted || state.text(language, 'slug') !== got) continue;
            if (!claims.isTaken({ language, slug, token: state.token }))
                assignSlug(work, store, { state, language, slug });
        }
    }
}
