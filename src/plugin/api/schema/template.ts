import gql from 'graphql-tag';

/** Pipelines to start from. */
export const templateSchema = gql`
    "What templates are for."
    enum FlowTemplateGroup {
        "Files that people upload."
        IMPORT
        "Data of other systems, by schedule or at once."
        SYNC
        "The shop's data for other systems."
        EXPORT
        "Product feeds for marketplaces and advertising."
        FEEDS
        "Documents for search engines."
        SEARCH
        "Reactions to events of the shop, and approvals."
        AUTOMATION
    }

    "A connection that the pipeline of a template names."
    type FlowTemplateConnection {
        code: String!
        "The types that fit: SFTP, HTTP …"
        types: [String!]!
    }

    "A pipeline to start from."
    type FlowPipelineTemplate {
        "Also the code that is suggested for a pipeline of the template."
        code: String!
        group: FlowTemplateGroup!
        title: String!
        "What the pipeline does, in one or two sentences."
        description: String!
        "The argument of createFlowPipeline. Its schedules and other triggers become active when the pipeline is published."
        definition: FlowJSON!
        "Records as the source of the pipeline reads them."
        sample: [FlowJSON!]!
        "What has to be set or installed before the pipeline is published, one sentence each."
        notes: [String!]!
        "Create connections with these codes, or choose others in the steps."
        connections: [FlowTemplateConnection!]!
        "Codes of secrets. Create these, or choose others in the steps."
        secrets: [String!]!
    }

    extend type Query {
        "Pipelines to start from, by group: those of Flow and those of the plugin option templates."
        flowPipelineTemplates: [FlowPipelineTemplate!]!
    }
`;
