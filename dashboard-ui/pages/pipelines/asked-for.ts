/** A filter of one column, as the host's list writes it. */
interface ColumnFilter {
    readonly in?: readonly unknown[];
    readonly eq?: unknown;
}

/** The request of the host's list: column filters are in `_and`, one object each. */
export interface ListVariables {
    readonly options?: {
        readonly filter?: Readonly<Record<string, unknown>> & {
            readonly _and?: ReadonlyArray<Readonly<Record<string, unknown>>>;
        };
    };
    readonly [key: string]: unknown;
}

/** Filters by what belongs to a pipeline, not to its own columns: the server takes them apart from the others. */
const SELECTIONS = {
    triggers: ({ eq }: ColumnFilter) => ({ triggerType: eq }),
    lastRun: ({ in: values }: ColumnFilter) => ({ lastRunStatus: values }),
    openErrors: ({ eq }: ColumnFilter) => ({ hasOpenErrors: eq }),
} as const;

const isSelection = (key: string): key is keyof typeof SELECTIONS => key in SELECTIONS;

/** The variables of the query. */
export function askedFor<T extends ListVariables>(variables: T): T {
    const { filter = {} } = variables.options ?? {};
    const { _and: all = [], ...beside } = filter;
    const own = all.filter(one => !Object.keys(one).some(isSelection));
    const selection = all
        .flatMap(one => Object.entries(one))
        .reduce<object>(
            (found, [key, value]) =>
                isSelection(key) ? { ...found, ...SELECTIONS[key](value as ColumnFilter) } : found,
            {},
        );
    return {
        ...variables,
        options: { ...variables.options, filter: { ...beside, ...(own.length > 0 && { _and: own }) } },
        selection,
    };
}
