import { useLingui } from '@lingui/react/macro';

/** A comparison in words. A comparison that the page does not know is shown by its code. */
export function useComparisonWords(): (cmp: string) => string {
    const { t } = useLingui();
    const words: Readonly<Record<string, string>> = {
        eq: t({ message: 'is', context: 'flow comparison' }),
        ne: t({ message: 'is not', context: 'flow comparison' }),
        gt: t({ message: 'is greater than', context: 'flow comparison' }),
        gte: t({ message: 'is at least', context: 'flow comparison' }),
        lt: t({ message: 'is less than', context: 'flow comparison' }),
        lte: t({ message: 'is at most', context: 'flow comparison' }),
        in: t({ message: 'is one of', context: 'flow comparison' }),
        notIn: t({ message: 'is not one of', context: 'flow comparison' }),
        contains: t({ message: 'contains', context: 'flow comparison' }),
        notContains: t({ message: 'does not contain', context: 'flow comparison' }),
        startsWith: t({ message: 'starts with', context: 'flow comparison' }),
        endsWith: t({ message: 'ends with', context: 'flow comparison' }),
        regex: t({ message: 'has the pattern', context: 'flow comparison' }),
        matches: t({ message: 'matches (* ?)', context: 'flow comparison' }),
        exists: t({ message: 'exists', context: 'flow comparison' }),
        notExists: t({ message: 'does not exist', context: 'flow comparison' }),
        isNull: t({ message: 'is null', context: 'flow comparison' }),
        isEmpty: t({ message: 'is empty', context: 'flow comparison' }),
        isNotEmpty: t({ message: 'is not empty', context: 'flow comparison' }),
    };
    return cmp => words[cmp] ?? cmp;
}
