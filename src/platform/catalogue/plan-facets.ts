import type { Diff } from '../entities/diff';
import { Members } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import type { UnitOfWork } from '../entities/unit-of-work';
import { useFacetValue } from './facet-values';

const FIELD = 'facetValues';

const codeOf = ({ key, refs }: EntityState): string => `${refs.get('facet')!.key}:${key}`;
const codes = (values: Iterable<EntityState>): readonly string[] => [...values].map(codeOf).sort();

/** Gives an entity the facet values of a record. Those that the run's channel does not see stay (as in ProductService.update). */
export function setFacetValues(
    diff: Diff,
    owner: EntityState,
    {
        work,
        values,
        path,
        isMerge,
    }: {
        readonly work: UnitOfWork;
        readonly values: readonly EntityState[];
        readonly path: string;
        readonly isMerge: boolean;
    },
): boolean {
    for (const value of values) useFacetValue(work, value);
    const members = owner.members.get(FIELD) ?? new Members<EntityState>([]);
    owner.members.set(FIELD, members);
    const kept = [...members.now].filter(value => isMerge || !value.isInChannel);
    const wanted = new Set([...kept, ...values]);
    if (wanted.size === members.now.size && [...wanted].every(value => members.now.has(value))) return false;
    const before = codes(members.now);
    members.replace(wanted);
    diff.add(path, before, codes(wanted));
    return true;
}
