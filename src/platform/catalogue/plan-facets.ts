import type { Diff } from './diff';
import { type FacetValueRef, Members } from './state';

interface FacetOwner {
    facetValues: Members<FacetValueRef> | undefined;
}

const codeOf = (value: FacetValueRef): string => `${value.facet.code}:${value.code}`;
const codes = (values: Iterable<FacetValueRef>): readonly string[] => [...values].map(codeOf).sort();

/** Gives an entity the facet values of a record. Those that the run's channel does not see stay (as in ProductService.update). */
export function setFacetValues(
    diff: Diff,
    owner: FacetOwner,
    {
        values,
        path,
        isMerge,
    }: {
        readonly values: readonly FacetValueRef[];
        readonly path: string;
        readonly isMerge: boolean;
    },
): boolean {
    const members = (owner.facetValues ??= new Members<FacetValueRef>([]));
    const kept = [...members.now].filter(value => isMerge || !value.isInChannel);
    const wanted = new Set([...kept, ...values]);
    if (wanted.size === members.now.size && [...wanted].every(value => members.now.has(value))) return false;
    const before = codes(members.now);
    members.replace(wanted);
    diff.add(path, before, codes(wanted));
    return true;
}
