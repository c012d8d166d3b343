import gql from 'graphql-tag';

/** What a definition may consist of, for clients that draw one. */
export const definitionFormatSchema = gql`
    "Which adapters the steps of a kind name, and where they do so in the configuration."
    type FlowStepAdapters {
        kind: FlowAdapterKind!
        "The field with the code of the adapter, in the configuration or in each entry of the list."
        field: String!
        "The field with the list of calls. Null where a step names a single adapter; its fields are then next to its code."
        list: String
        "The field of a call that holds the adapter's configuration. Null without a list."
        value: String
    }

    "What may precede a step."
    enum FlowStepBehind {
        "Nothing: it is the first step."
        NOTHING
        "Any step that emits records."
        RECORDS
        "A trigger, or any step that emits records."
        ANYTHING
    }

    "A kind of step."
    type FlowStepKind {
        kind: String!
        "What steps of this kind do, in one sentence."
        summary: String!
        remarks: String
        "JSON Schema of the kind's fields. The fields of its adapters are described by flowAdapters."
        schema: FlowJSON!
        "Null if steps of this kind name no adapter."
        adapters: FlowStepAdapters
        behind: FlowStepBehind!
        "Whether edges that leave steps of this kind carry the name of a branch."
        hasBranches: Boolean!
        "Branches that exist without being named in the configuration."
        furtherBranches: [String!]!
    }

    "What a definition may consist of."
    type FlowDefinitionFormat {
        "All kinds of steps, in the order in which a pipeline usually has them."
        kinds: [FlowStepKind!]!
        "JSON Schema of the retry settings of a step."
        retry: FlowJSON!
        "JSON Schemas of the other settings of a definition: capabilities, throughput, errorHandling."
        settings: FlowJSON!
        "The stages at which hooks are called."
        hookStages: [String!]!
        "JSON Schemas of hooks, by their type."
        hooks: FlowJSON!
    }

    "What a trigger of an unpublished definition would wait for."
    type FlowTriggerPreview {
        "In a few English words: daily at 06:00 (Europe/Berlin)."
        text: String!
        "For a webhook: the address at which it will accept requests once it is published."
        webhook: FlowWebhookAddress
    }

    extend type Query {
        "What a trigger with this configuration would wait for in a pipeline; null if the configuration is invalid."
        flowTriggerPreview(pipelineId: ID!, config: FlowJSON!): FlowTriggerPreview
        "The paths that a record may have for a loader with this configuration: its fields, the custom fields of the shop, and texts in the other languages of the active channel. Empty for a loader whose fields are not known."
        flowLoaderFields(adapterCode: String!, config: FlowJSON): [String!]!
        "What a definition may consist of, for clients that write or draw one. For adapters see flowAdapters."
        flowDefinitionFormat: FlowDefinitionFormat!
    }
`;
