/** A definition while it is edited: any JSON object that the server has stored, including invalid and newer fields. */
export type Definition = Readonly<Record<string, unknown>>;

/** A step as far as it can be drawn. */
export interface Step {
    /** Its place in the list of the definition. */
    readonly index: number;
    readonly key: string;
    readonly kind: string;
    readonly name: string | undefined;
    readonly isDisabled: boolean;
    readonly config: Definition;
    /** All fields of the step. The object stays the same until the step changes. */
    readonly raw: Definition;
}

/** An edge as far as it can be drawn. */
export interface Edge {
    readonly index: number;
    readonly from: string;
    readonly to: string;
    readonly branch: string | undefined;
    readonly raw: Definition;
}

/** A JSON object. */
export function isObject(value: unknown): value is Definition {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The steps that can be drawn: those with a unique key. Other entries of the list keep their position. */
export function stepsOf(definition: Definition): readonly Step[] {
    const seen = new Set<string>();
    return listOf(definition['steps']).flatMap((raw, index): readonly Step[] => {
        if (!isObject(raw) || typeof raw['key'] !== 'string' || seen.has(raw['key'])) return [];
        seen.add(raw['key']);
        return [
            {
                index,
                key: raw['key'],
                kind: typeof raw['kind'] === 'string' ? raw['kind'] : '',
                name: typeof raw['name'] === 'string' ? raw['name'] : undefined,
                isDisabled: raw['disabled'] === true,
                config: isObject(raw['config']) ? raw['config'] : {},
                raw,
            },
        ];
    });
}

/** The edges between steps that can be drawn. */
export function edgesOf(definition: Definition): readonly Edge[] {
    const keys = new Set(stepsOf(definition).map(({ key }) => key));
    const seen = new Set<string>();
    return listOf(definition['edges']).flatMap((raw, index): readonly Edge[] => {
        if (!isObject(raw)) return [];
        const { from, to, branch } = raw;
        if (typeof from !== 'string' || typeof to !== 'string' || !keys.has(from) || !keys.has(to)) return [];
        const edge = { index, from, to, branch: typeof branch === 'string' ? branch : undefined, raw };
        if (seen.has(edgeId(edge))) return [];
        seen.add(edgeId(edge));
        return [edge];
    });
}

/** How many entries of a definition cannot be drawn, and are seen as text alone. */
export function undrawn(definition: Definition): number {
    const { steps, edges } = definition;
    const strange = [steps, edges].filter(list => list !== undefined && !Array.isArray(list)).length;
    return (
        strange +
        listOf(steps).length -
        stepsOf(definition).length +
        (listOf(edges).length - edgesOf(definition).length)
    );
}

/** The identity of an edge in its definition. */
export function edgeId({
    from,
    to,
    branch,
}: Pick<Edge, 'from' | 'to'> & { readonly branch?: string | undefined }): string {
    return JSON.stringify([from, to, branch ?? null]);
}

/** The step with this key. */
export function stepOf(definition: Definition, key: string | undefined): Step | undefined {
    return key === undefined ? undefined : stepsOf(definition).find(step => step.key === key);
}

/** What people call a step. */
export function titleOf({ name, key }: Pick<Step, 'name' | 'key'>): string {
    return name ?? key;
}

/** A value that is allowed where a list is expected. */
export function listOf(value: unknown): readonly unknown[] {
    return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** The branches that a step of a kind with branches names, in their order. */
export function branchNamesOf({ config }: Pick<Step, 'config'>): readonly string[] {
    return listOf(config['branches']).flatMap(branch =>
        isObject(branch) && typeof branch['name'] === 'string' && branch['name'] !== '' ? [branch['name']] : [],
    );
}
