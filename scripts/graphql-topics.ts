import type { DefinitionNode, TypeNode } from 'graphql';
import { enums, inputs, objectTypes, type Operation, operations } from './api-surface';

/** A page of the GraphQL reference. */
export interface Topic {
    readonly file: string;
    readonly title: string;
    readonly operations: RegExp;
}

/** Each operation belongs to the first topic that its name matches. */
export const TOPICS: readonly Topic[] = [
    { file: 'imports', title: 'Imports', operations: /FlowImport|flowImport/ },
    {
        file: 'runs',
        title: 'Runs and positions',
        operations: /PipelineRuns?$|^dryRun|DryRun|flowLogs|Position|ReseedableSteps|RemoteAction|GivenUpEvents/,
    },
    {
        file: 'pipelines',
        title: 'Pipelines and step tests',
        operations:
            /Pipelines?$|Pipeline(Revisions?|History|Differences)$|FlowStep$|TriggerPreview|DefinitionFormat|LoaderFields|PipelineTemplates$/,
    },
    { file: 'record-errors', title: 'Record errors', operations: /RecordErrors|RecordErrorGroups|CorrectedRecords/ },
    { file: 'gates', title: 'Gates', operations: /Gate/ },
    { file: 'connections', title: 'Connections and secrets', operations: /Connections?$|Secrets?$/ },
    { file: 'files', title: 'Files and feeds', operations: /Files?$|Feeds?$|Exports$/ },
    {
        file: 'monitoring',
        title: 'Monitoring, adapters and settings',
        operations: /Overview|Analytics|Settings|EntityHistory|Adapters/,
    },
];

/** The operations of a topic, in the order of the schema. */
export function operationsOf(topic: Topic): readonly Operation[] {
    return operations().filter(({ name }) => topicOf(name) === topic);
}

/** Throws for an operation without a topic. */
export function topicOf(operation: string): Topic {
    const found = TOPICS.find(topic => topic.operations.test(operation));
    if (found === undefined) throw new Error(`${operation} has no topic in scripts/graphql-topics.ts`);
    return found;
}

/** The topic of each type: that of the operations which lead to it in the fewest steps. */
export function topicsOfTypes(): ReadonlyMap<string, Topic> {
    const byName = new Map<string, DefinitionNode>(
        [...objectTypes, ...inputs, ...enums].map(node => [node.name.value, node]),
    );
    const topics = new Map<string, Topic>();
    let reached = TOPICS.flatMap(topic =>
        operationsOf(topic).flatMap(({ field }) => namedIn(field).map(name => [name, topic] as const)),
    );
    while (reached.length > 0) {
        const added = reached.filter(([name, topic]) => {
            if (!byName.has(name) || topics.has(name)) return false;
            topics.set(name, topic);
            return true;
        });
        reached = added.flatMap(([name, topic]) => fieldsOf(byName.get(name)!).map(type => [type, topic] as const));
    }
    return topics;
}

interface Typed {
    readonly type: TypeNode;
    readonly arguments?: ReadonlyArray<{ readonly type: TypeNode }> | undefined;
}

function fieldsOf(node: DefinitionNode): readonly string[] {
    return 'fields' in node ? ((node.fields ?? []) as readonly Typed[]).flatMap(namedIn) : [];
}

function namedIn({ type, arguments: given = [] }: Typed): readonly string[] {
    return [nameOf(type), ...given.map(argument => nameOf(argument.type))];
}

function nameOf(type: TypeNode): string {
    return type.kind === 'NamedType' ? type.name.value : nameOf(type.type);
}
