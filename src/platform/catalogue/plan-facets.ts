import type { RecordIssues } from '../entities/record-issues';
import { ASSETS_UNSPECIFIED, type ResolvedAssets } from '../entity-assets/entity-asset-sets';
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
    const desired = new Set([...hidden, ...applyList(mode, now, values)]);
    if (desired.size === now.length && now.every(value => desired.has(value))) return false;
    const before = facetCodes(now);
    members.replace(desired);
    diff.add(path, before, facetCodes(desired));
    return true;
}

/** The facet values that a record names, where its list says anything. */
export function facetValuesIn(
    rules: PlanRules,
    { facetValues }: Pick<DesiredVariant, 'facetValues'>,
    issues: RecordIssues,
): readonly EntityState[] | undefined {
    if (!facetValues || rules.modes.facetValues === 'SKIP') return undefined;
    return resolveFacetValues(rules.work, facetValues, facetRules(rules, issues));
}

/** The assets that a record names. */
export function assetsOf(
    { catalogue: { galleries }, work, pictures }: PlanRules,
    { gallery }: Pick<DesiredVariant, 'gallery'>,
    issues: RecordIssues,
): ResolvedAssets {
    return galleries?.resolve(gallery, { work, pictures, faults: issues }) ?? ASSETS_UNSPECIFIED;
}

function facetRules(
    { catalogue: { reference }, createsFacetValues, modes }: PlanRules,
    issues: RecordIssues,
): FacetRules {
    const { channel, language } = reference;
    return {
        createsMissing: createsFacetValues && modes.facetValues !== 'REMOVE',
        channelCode: channel.code,
        language,
        faults: issues,
    };
}
