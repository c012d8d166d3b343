import gql from 'graphql-tag';

/** Connections, secrets and the adapters that there are. */
export const resourceSchema = gql`
    "How to reach a system outside, under a code. Holds codes of secrets, never a secret."
    type FlowConnection implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Unique within the channel."
        code: String!
        name: String!
        "The code of a connection type (see flowAdapters)."
        type: String!
        "By the schema of its type. Null unless the caller may manage connections."
        settings: FlowJSON
        "False when it came from the shop's code and is gone from there."
        enabled: Boolean!
        "True when it is defined in the shop's code, and read-only here."
        codeFirst: Boolean!
        "Goes up with every change."
        version: Int!
        "Codes of the pipelines whose working copy or selected revision names it."
        usedBy: [String!]!
    }

    "Connections, a page of them."
    type FlowConnectionList implements PaginatedList {
        items: [FlowConnection!]!
        totalItems: Int!
    }

    "Where the value of a secret comes from."
    enum FlowSecretProvider {
        "An environment variable of the server and the workers."
        ENV
        "The database, encrypted with FLOW_MASTER_KEY."
        INLINE
    }

    "A secret under a code. Its value can be set, never read."
    type FlowSecret implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Unique within the channel."
        code: String!
        provider: FlowSecretProvider!
        "ENV: the name of the variable. Null unless the caller may manage secrets."
        environmentVariable: String
        "Whether this server can read it now; workers have an environment of their own."
        isReadable: Boolean!
        "Why it cannot be read. Null unless the caller may manage secrets."
        problem: String
        "The hosts that it may be sent to, next to those of saved connections that name it: erp.example.com, erp.example.com:8443 or *.example.com."
        allowedHosts: [String!]!
        "Every host that it may be sent to, and what allows it. A host of a connection stays allowed when allowedHosts is narrowed: change or delete the connection too. Null unless the caller may manage secrets."
        effectiveHosts: [FlowEffectiveHost!]
        "False when it came from the shop's code and is gone from there."
        enabled: Boolean!
        "True when it is defined in the shop's code, and read-only here."
        codeFirst: Boolean!
        "Goes up with every change."
        version: Int!
        "Codes of the pipelines and connections that name it."
        usedBy: [String!]!
    }

    "A host that a secret may be sent to, and what allows it: the allowedHosts of the secret, unless a connection or a pipeline is named."
    type FlowEffectiveHost {
        host: String!
        "The saved connection that names the secret and leads to the host."
        connectionCode: String
        "The pipeline of the shop's code that sends the secret to the host."
        pipelineCode: String
    }

    "Secrets, a page of them."
    type FlowSecretList implements PaginatedList {
        items: [FlowSecret!]!
        totalItems: Int!
    }

    "What came of encrypting all INLINE secrets of the active channel with the current master key."
    type FlowSecretRotation {
        "Encrypted anew."
        rotated: Int!
        "Had the current key already."
        current: Int!
        "Codes of those that neither the current nor the previous key can read; they were left alone."
        unreadable: [String!]!
    }

    "Whether a connection leads anywhere."
    enum FlowConnectionTestResult {
        "The system answers, and has not refused the authentication."
        PASSED
        FAILED
        "Nothing was tried; the message says why."
        UNTESTED
    }

    "What came of testing a connection."
    type FlowConnectionTest {
        result: FlowConnectionTestResult!
        "What to tell people. Holds no secret."
        message: String!
        "The code of the error, where there was one."
        code: String
        "The HTTP status of the answer, where there was one."
        status: Int
        "The fingerprint of the host key of an SFTP server, where it is not trusted yet. Compare it with the one that the operator of the server gives you, then save it as hostKeyFingerprint of the connection."
        hostKeyFingerprint: String
        durationMs: Int!
    }

    "What an adapter is for."
    enum FlowAdapterKind {
        TRIGGER
        EXTRACTOR
        OPERATOR
        RULE
        LOADER
        SINK
        CONNECTION
    }

    "Something that a pipeline can be made of."
    type FlowAdapter {
        kind: FlowAdapterKind!
        code: String!
        "Other spellings that definitions may use."
        aliases: [String!]!
        title: String!
        summary: String!
        category: String
        "Of a custom sink: the name of a lucide icon."
        icon: String
        "Of a custom sink: what it delivers to (MEILISEARCH, ELASTICSEARCH, OPENSEARCH, ALGOLIA, TYPESENSE, WEBHOOK, CUSTOM)."
        sinkType: String
        "Limits that a user must know."
        notes: [String!]!
        "Permissions that a run with it needs; of some that are joined by or, any one is enough."
        requires: [String!]!
        "JSON Schema of its configuration."
        schema: FlowJSON!
        "Whether steps of it can be tried on a few records (testFlowStep). Of triggers those that show what they would bring; of connections none."
        canBeTried: Boolean!
        "How it is used, each as the reference shows it: a configuration, what comes in and what comes out, as far as its kind has these."
        examples: [FlowJSON!]!
    }

    "An uploaded or exported file. Uploads and downloads are REST: POST /flow/upload, GET /flow/files/:id/download."
    type FlowFile implements Node {
        id: ID!
        "When it was stored."
        createdAt: DateTime!
        updatedAt: DateTime!
        filename: String!
        mimeType: String!
        "What its bytes are: csv, json, xml, txt, xls or xlsx."
        format: String!
        "Of a text."
        encoding: String
        "In bytes."
        size: Float!
        "Of its content, in hexadecimal digits."
        sha256: String!
        "How many records it holds; null until somebody has counted, say for a preview."
        rows: Int
        "Null where that user is gone for good, and of an export."
        uploadedBy: FlowActor
        "Of the export that it was made by; null of an uploaded file."
        exportCode: String
        "Null: it is kept until it is deleted."
        expiresAt: DateTime
        "Where REST has it: GET {path}/download and {path}/preview, DELETE {path}."
        path: String!
        "Codes of the pipelines whose working copy or selected revision names it."
        usedBy: [String!]!
    }

    "Uploaded files, a page of them."
    type FlowFileList implements PaginatedList {
        items: [FlowFile!]!
        totalItems: Int!
    }

    input FlowConnectionListOptions
    input FlowFileListOptions
    input FlowSecretListOptions

    "A new connection of the active channel."
    input CreateFlowConnectionInput {
        "Letters, digits, dots, hyphens and underscores, at most 64, the first a letter or digit."
        code: String!
        "Default: the code."
        name: String
        "The code of a connection type (see flowAdapters); fixed from then on."
        type: String!
        "By the schema of its type."
        settings: FlowJSON!
    }

    "What is left out stays as it is; settings are replaced as a whole."
    input UpdateFlowConnectionInput {
        id: ID!
        "The version that the caller has read."
        version: Int!
        name: String
        settings: FlowJSON
    }

    "A new secret of the active channel."
    input CreateFlowSecretInput {
        "Letters, digits, dots, hyphens and underscores, at most 64, the first a letter or digit."
        code: String!
        provider: FlowSecretProvider!
        "ENV: the name of exactly one environment variable. INLINE: the value, which is stored encrypted."
        value: String!
        "The hosts that it may be sent to: erp.example.com, erp.example.com:8443 or *.example.com. The hosts of saved connections that name it need no entry."
        allowedHosts: [String!]
    }

    "What is left out stays as it is."
    input UpdateFlowSecretInput {
        id: ID!
        "The version that the caller has read."
        version: Int!
        provider: FlowSecretProvider
        "Needed with another provider."
        value: String
        "Replaces the whole list."
        allowedHosts: [String!]
    }

    "An option that is in force."
    type FlowSetting {
        path: String!
        value: FlowJSON
    }

    extend type Query {
        "The connections of the active channel."
        flowConnections(options: FlowConnectionListOptions): FlowConnectionList!
        "A connection of the active channel, by its id or its code."
        flowConnection(id: ID, code: String): FlowConnection
        "The secrets of the active channel, without their values."
        flowSecrets(options: FlowSecretListOptions): FlowSecretList!
        "A secret of the active channel, by its id or its code, without its value."
        flowSecret(id: ID, code: String): FlowSecret
        "The uploaded files of the active channel that have not expired."
        flowFiles(options: FlowFileListOptions): FlowFileList!
        "An uploaded file of the active channel; null once it has expired."
        flowFile(id: ID!): FlowFile
        "The options of this server that are in force, defaults included, by their paths: retention.runsDays. None that may hold a secret."
        flowSettings: [FlowSetting!]!
        "What pipelines and connections can be made of, of one kind where it is given."
        flowAdapters(kind: FlowAdapterKind): [FlowAdapter!]!
    }

    extend type Mutation {
        "Makes a connection; its settings are checked by the schema of its type."
        createFlowConnection(input: CreateFlowConnectionInput!): FlowConnection!
        "Changes a connection that was made here."
        updateFlowConnection(input: UpdateFlowConnectionInput!): FlowConnection!
        "Refused while a pipeline names it."
        deleteFlowConnection(id: ID!): DeletionResponse!
        "Connects to the system that a connection leads to, as a run would."
        testFlowConnection(id: ID!): FlowConnectionTest!
        "Makes a secret. Its value is never given back."
        createFlowSecret(input: CreateFlowSecretInput!): FlowSecret!
        "Changes where a secret that was made here comes from, its value, or the hosts that it may be sent to."
        updateFlowSecret(input: UpdateFlowSecretInput!): FlowSecret!
        "Refused while a pipeline or a connection names it."
        deleteFlowSecret(id: ID!): DeletionResponse!
        "Encrypts the INLINE secrets of the active channel with the current FLOW_MASTER_KEY; the guide has the whole procedure."
        rotateFlowSecrets: FlowSecretRotation!
    }
`;
