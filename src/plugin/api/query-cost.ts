import {
    type FieldNode,
    type FragmentDefinitionNode,
    getDirectiveValues,
    getNamedType,
    getNullableType,
    GraphQLIncludeDirective,
    type GraphQLNamedType,
    type GraphQLSchema,
    GraphQLSkipDirective,
    isInterfaceType,
    isLeafType,
    isListType,
    isObjectType,
    Kind,
    type OperationDefinitionNode,
    type SelectionNode,
    type SelectionSetNode,
    type ValueNode,
    valueFromASTUntyped,
} from 'graphql';
import type { OwnFields } from './bounded-fields';
import { fieldCost, isPage } from './field-costs';

/** The cost of an operation. */
export interface QueryCost {
    readonly cost: number;
    /** The field of the operation that costs most, under one of its aliases. */
    readonly most: { readonly name: string; readonly cost: number };
}

/** The data from which the cost of an operation is computed. */
interface CostedOperation {
    readonly schema: GraphQLSchema;
    readonly operation: OperationDefinitionNode;
    readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
    /** As the client has sent them. */
    readonly variables: Readonly<Record<string, unknown>>;
    /** The types and fields of Flow. All others cost nothing. */
    readonly own: OwnFields;
    /** The rows of a list that is requested without `options.take`. */
    readonly defaultTake: number;
}

/** The cost of a selection. `perRow` counts for each row of the page that the selection belongs to. */
interface Cost {
    readonly once: number;
    readonly perRow: number;
}

const FREE: Cost = { once: 0, perRow: 0 };
/** The number of rows of a list within a row that declares none, such as the issues of a rejected record. It is a part of the row. */
const DEFAULT_ROWS = 1;
const ITEMS = 'items';

/**
 * Counts the cost of an operation before it is executed: what each field declares (`field-costs.ts`), multiplied by the rows of the lists around it.
 * Each mention of a field counts, under whatever alias and in whatever fragment. The work grows with the size of the document alone.
 */
export function queryCost(costed: CostedOperation): QueryCost {
    return new CostCount(costed).count();
}

class CostCount {
    private readonly ofFragments = new Map<string, Cost>();
    private readonly variables: Record<string, unknown>;
    private most = { name: '', cost: 0 };

    constructor(private readonly costed: CostedOperation) {
        const defaults = (costed.operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
            defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
        );
        this.variables = { ...Object.fromEntries(defaults), ...costed.variables };
    }

    count(): QueryCost {
        const { schema, operation } = this.costed;
        const { once } = this.ofSelection(operation.selectionSet, schema.getRootType(operation.operation)!);
        return { cost: Math.min(once, Number.MAX_SAFE_INTEGER), most: this.most };
    }

    private ofSelection({ selections }: SelectionSetNode, type: GraphQLNamedType): Cost {
        let [once, perRow] = [0, 0];
        for (const selection of selections) {
            const cost = this.isIncluded(selection) ? this.ofOne(selection, type) : FREE;
            once += cost.once;
            perRow += cost.perRow;
        }
        return { once, perRow };
    }

    private ofOne(selection: SelectionNode, type: GraphQLNamedType): Cost {
        if (selection.kind === Kind.FIELD) return this.ofField(selection, type);
        if (selection.kind === Kind.INLINE_FRAGMENT)
            return this.ofSelection(selection.selectionSet, this.typeOf(selection.typeCondition?.name.value) ?? type);
        const name = selection.name.value;
        const known = this.ofFragments.get(name);
        if (known) return known;
        const fragment = this.costed.fragments.get(name);
        const condition = this.typeOf(fragment?.typeCondition.name.value);
        const cost = fragment && condition ? this.ofSelection(fragment.selectionSet, condition) : FREE;
        this.ofFragments.set(name, cost);
        return cost;
    }

    private ofField(node: FieldNode, parent: GraphQLNamedType): Cost {
        const name = node.name.value;
        const names = this.costed.own.get(parent.name);
        if (!names || (names !== 'all' && !names.has(name))) return FREE;
        const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
        if (!field) return FREE;
        const type = getNamedType(field.type);
        const { cost, rows, rowCost } = fieldCost(parent.name, field);
        if (isLeafType(type) || !node.selectionSet) return { once: cost, perRow: 0 };
        const inner = this.ofSelection(node.selectionSet, type);
        // The rows of a page are those that were requested from the field that returns the page.
        if (isPage(parent) && name === ITEMS) return { once: 0, perRow: 1 + inner.once };
        if (isPage(type)) {
            const count = this.takeOf(node) ?? rows ?? this.costed.defaultTake;
            return this.told(name, parent, cost + inner.once + count * (rowCost - 1 + Math.max(1, inner.perRow)));
        }
        if (isListType(getNullableType(field.type)))
            return this.told(name, parent, cost + (rows ?? DEFAULT_ROWS) * (1 + inner.once));
        return this.told(name, parent, cost + inner.once);
    }

    private told(name: string, { name: parent }: GraphQLNamedType, once: number): Cost {
        if (this.costed.own.get(parent) !== 'all' && once > this.most.cost) this.most = { name, cost: once };
        return { once, perRow: 0 };
    }

    /** The number of rows that the field requests. Undefined if it requests none, or an invalid number, which is rejected later. */
    private takeOf({ arguments: given = [] }: FieldNode): number | undefined {
        const [own, options] = ['take', 'options'].map(name => given.find(one => one.name.value === name)?.value);
        const take = own ? this.valueOf(own) : options && this.takeOfOptions(options);
        return typeof take === 'number' && take > 0 ? take : undefined;
    }

    private takeOfOptions(options: ValueNode): unknown {
        if (options.kind === Kind.OBJECT) {
            const take = options.fields.find(({ name }) => name.value === 'take');
            return take && this.valueOf(take.value);
        }
        return (this.valueOf(options) as { readonly take?: unknown } | null | undefined)?.take;
    }

    private valueOf(node: ValueNode): unknown {
        return valueFromASTUntyped(node, this.variables);
    }

    private isIncluded(node: SelectionNode): boolean {
        if (!node.directives?.length) return true;
        return (
            getDirectiveValues(GraphQLSkipDirective, node, this.variables)?.['if'] !== true &&
            getDirectiveValues(GraphQLIncludeDirective, node, this.variables)?.['if'] !== false
        );
    }

    private typeOf(name: string | undefined): GraphQLNamedType | undefined {
        return name === undefined ? undefined : this.costed.schema.getType(name);
    }
}
