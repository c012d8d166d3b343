import type { Faults } from '../entities/faults';
import { NOTHING_SAID, type ResolvedGallery } from '../galleries/galleries';
import type { DesiredVariant } from './desired';
import type { PlanRules } from './plan-rules';
import type { Diff } from '../entities/diff';
import { Members } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import type { UnitOfWork } from '../entities/unit-of-work';
import { applyList, type ListMode } from '../entities/load-arguments';
import { type FacetRules, resolveFacetValues, useFacetValue } from './facet-values';

/** Where entities have them. */
export const FACET_VALUES = 'facetValues';

const codeOf = ({ key, refs }: EntityState): string => `${refs.get('facet')!.key}:${key}`;
/** Only those in the run's channel, because its users must not learn about others. */
export function facetCodes(values: Iterable<EntityState>): readonly string[] {
    const codes: string[] = [];
    for (const value of values) if (value.isInChannel) codes.push(codeOf(value));
    return codes.sort();
}

/** Gives an entity the facet values of a record. Those that the run's channel does not see stay (as in ProductService.update). */
export function setFacetValues(
    diff: Diff,
    owner: EntityState,
    {
        work,
        values,
        path,
        mode,
    }: {
        readonly work: UnitOfWork;
        readonly values: readonly EntityState[];
        readonly path: string;
        readonly mode: ListMode;
    },
): boolean {
    if (mode === 'SKIP') return false;
    if (mode !== 'REMOVE') for (const value of values) useFacetValue(work, value);
    const members = owner.members.get(FACET_VALUES) ?? new Members<EntityState>([]);
    owner.setMembers(FACET_VALUES, members);
    const { now } = members;
    const hidden = now.filter(({ isInChannel }) => !isInChannel);
    const wanted = new Set([...hidden, ...applyList(mode, now, values)]);
    if (wanted.size === now.length && now.every(value => wanted.has(value))) return false;
    const before = facetCodes(now);
    members.replace(wanted);
    diff.add(path, before, facetCodes(wanted));
    return true;
}

/** The facet values that a record names, where its list says anything. */
export function facetValuesIn(
    rules: PlanRules,
    { facetValues }: Pick<DesiredVariant, 'facetValues'>,
    faults: Faults,
): readonly EntityState[] | undefined {
    if (!facetValues || rules.modes.facetValues === 'SKIP') return undefined;
    return resolveFacetValues(rules.work, facetValues, facetRules(rules, faults));
}

/** The assets that a record names. */
export function galleryOf(
    { catalogue: { galleries }, work, pictures }: PlanRules,
    { gallery }: Pick<DesiredVariant, 'gallery'>,
    faults: Faults,
): ResolvedGallery {
    return galleries?.resolve(gallery, { work, pictures, faults }) ?? NOTHING_SAID;
}

function facetRules({ catalogue: { reference }, createsFacetValues, modes }: PlanRules, faults: Faults): FacetRules {
    const { channel, language } = reference;
    return {
        createsMissing: createsFacetValues && modes.facetValues !== 'REMOVE',
        channelCode: channel.code,
        language,
        faults,
    };
}
