import gql from 'graphql-tag';

/** What a definition may be made of, for whoever draws one. */
export const definitionFormatSchema = gql`
    "Which adapters the steps of a kind name, and where their configuration does."
    type FlowStepAdapters {
        kind: FlowAdapterKind!
        "The field with the code of the adapter: of the configuration, or of each entry of the list."
        field: String!
        "The field with the list of calls. Null where the step is one adapter's, whose fields stand beside its code."
        list: String
        "The field of a call that has what the adapter takes. Null without a list."
        value: String
    }

    "What may come before a step."
    enum FlowStepBehind {
        "It is the first one."
        NOTHING
        "Whatever brings records."
        RECORDS
        "A trigger, or whatever brings records."
        ANYTHING
    }

    "A kind of steps."
    type FlowStepKind {
        kind: String!
        "What its steps do, in a sentence."
        summary: String!
        remarks: String
        "JSON Schema of its own fields; those of adapters are theirs (see flowAdapters)."
        schema: FlowJSON!
        "Null where its steps name none."
        adapters: FlowStepAdapters
        behind: FlowStepBehind!
        "Whether the edges that leave its steps carry the name of a branch."
        hasBranches: Boolean!
        "Branches that are there without being named in the configuration."
        furtherBranches: [String!]!
    }

    "What a definition may be made of."
    type FlowDefinitionFormat {
        "Every kind of steps, in the order in which a pipeline usually has them."
        kinds: [FlowStepKind!]!
        "JSON Schema of the retry that a step may have."
        retry: FlowJSON!
        "JSON Schemas of what a definition has beside steps and edges: capabilities, throughput, errorHandling."
        settings: FlowJSON!
        "The moments at which hooks are called."
        hookStages: [String!]!
        "JSON Schemas of hooks, by their type."
        hooks: FlowJSON!
    }

    "What a trigger of a definition that is drawn would wait for."
    type FlowTriggerPreview {
        "In a few words of English: daily at 06:00 (Europe/Berlin)."
        text: String!
        "Of a webhook: where it will take posts, once it is published."
        webhook: FlowWebhookAddress
    }

    extend type Query {
        "What a trigger with this configuration would wait for in a pipeline; null where the configuration has faults."
        flowTriggerPreview(pipelineId: ID!, config: FlowJSON!): FlowTriggerPreview
        "What a definition may be made of, for whoever writes or draws one; adapters come from flowAdapters."
        flowDefinitionFormat: FlowDefinitionFormat!
    }
`;
