import type { Script } from '../../core/adapter/loader';
import type { EntityState } from './entity-state';
import type { EntityStore } from './entity-store';
import { giveSlug, readSlugs, slugClaims, takeOpenWishes } from './slugs';
import type { UnitOfWork } from './unit-of-work';

/** An entity that got another slug than its record requested, because an entity of a later batch may still have the requested one. */
interface LaterSlug {
    readonly state: EntityState;
    readonly language: string;
    readonly slug: string;
    /** What it got. It keeps whatever else it has been given since. */
    readonly got: string;
}

/** The maximum number of waiting entries; beyond it, the first ones are dropped, and the next run assigns their slugs. */
const MOST_WAITING = 1_000;

/** The slugs that entities get later in a run, when a record of a later batch frees them: two entities may swap slugs, anywhere in a file. */
export class LaterSlugs {
    private waiting: readonly LaterSlug[] = [];

    /** All records of a batch are planned, and have got the slugs that were free. */
    *grant(work: UnitOfWork, store: EntityStore): Script<void> {
        const open = takeOpenWishes(work).flatMap(({ state, language, slug }): readonly LaterSlug[] => {
            const got = state.text(language, 'slug');
            return typeof got === 'string' ? [{ state, language, slug, got }] : [];
        });
        this.waiting = [...this.waiting, ...open].slice(-MOST_WAITING);
        const claims = slugClaims(work, store.entity);
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
            due.map(({ state, language, slug }) => ({ language, slug, token: state.token })),
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
                giveSlug(work, store, { state, language, slug });
        }
    }
}
