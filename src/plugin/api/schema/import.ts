import gql from 'graphql-tag';

/** Imports: from an unknown file to a pipeline. The guide on building an import page describes the JSON of plans, conversions and remedies. */
export const importSchema = gql`
    "What a file is imported as."
    enum FlowImportTarget {
        "Products with their variants."
        PRODUCTS
        "Prices of variants that exist."
        PRICES
        "Stock of variants that exist."
        STOCK
        CUSTOMERS
        COLLECTIONS
        "Facets and their values."
        FACETS
        "Pictures."
        ASSETS
        "Historical orders."
        ORDERS
    }

    "The formats of files."
    enum FlowImportFormat {
        CSV
        XLSX
        JSON
        NDJSON
        XML
    }

    "The sign that separates decimals."
    enum FlowImportDecimals {
        "1,299.00"
        POINT
        "1.299,00"
        COMMA
    }

    "What the values of a column are."
    enum FlowImportColumnType {
        BOOLEAN
        INTEGER
        NUMBER
        "An amount of money."
        PRICE
        PERCENT
        DATE
        EMAIL
        URL
        IMAGE_URL
        "An EAN or another GTIN."
        BARCODE
        COUNTRY
        HTML
        "A path of categories: Garden > Tools."
        PATH
        "Several values with a separator."
        LIST
        "A value such as a size or a colour."
        OPTION
        "An identifier such as an SKU."
        CODE
        TEXT
        "No row has a value."
        EMPTY
    }

    "How sure a suggestion is."
    enum FlowImportConfidence {
        HIGH
        "The column is used, but a user should look at it."
        NEEDS_A_LOOK
        "No column fits."
        NONE
    }

    "Why a column was chosen for a field."
    enum FlowImportReasonCode {
        "The name of the column is the name of the field."
        EXACT
        "The name is a word for the field. Arguments: word, language."
        SYNONYM
        "The name contains a word for the field. Arguments: word."
        PART
        "The name is almost a word for the field. Arguments: word."
        SIMILAR
        "The values fit the field."
        VALUES
        "The values exist in the shop. Arguments: share, from 0 to 1."
        SHOP
        "A user has mapped such a column to this field before. Arguments: column."
        LEARNED
        "The file is a known export. Arguments: export."
        KNOWN_EXPORT
        "No other column fits."
        ONLY_CANDIDATE
        "The plan of the user names it."
        CHOSEN
        "No column fits."
        NONE
    }

    "How a file is read."
    type FlowImportFacts {
        format: FlowImportFormat!
        "Of texts: utf-8, windows-1252 and the other encodings that extractors read."
        encoding: String
        "Of CSV."
        delimiter: String
        quote: String
        "Of CSV: blanks around cells are removed before quotes are read."
        trim: Boolean
        decimals: FlowImportDecimals!
        "The row with the names of columns, counted from 1; null if the file has none."
        headerRow: Int
        "Rows after the names of columns that are not records, for example units."
        skipAfterHeader: Int!
        "Rows at the end that are not records, for example totals."
        footerRows: Int!
        "Of XLSX."
        sheet: String
        "Of JSON and XML: the path of the list of records."
        recordPath: String
    }

    "Facts that a user has set. Omitted facts are detected. headerRow null: the file has no names of columns."
    input FlowImportFactsInput {
        format: FlowImportFormat
        encoding: String
        delimiter: String
        quote: String
        trim: Boolean
        decimals: FlowImportDecimals
        headerRow: Int
        skipAfterHeader: Int
        footerRows: Int
        sheet: String
        recordPath: String
    }

    "Other values of facts that are possible, the likeliest first."
    type FlowImportAlternatives {
        encodings: [String!]!
        delimiters: [String!]!
        headerRows: [Int!]!
        recordPaths: [String!]!
    }

    "A sheet of a workbook."
    type FlowImportSheet {
        name: String!
        rows: Int!
        isHidden: Boolean!
    }

    "What is unusual about a file or a check, as a code with arguments."
    type FlowImportWarning {
        "For a file: BARCODE_CHECK_DIGITS, BARCODE_SHORTENED, CELLS_WITHOUT_VALUE, CURRENCY_UNCLEAR, DATE_ORDER, DATE_SERIAL_NUMBERS, DATE_WITHOUT_FORMAT, DECIMALS_UNCLEAR, DUPLICATE_COLUMN, ELEMENTS_NOT_RECORDS, NO_HEADER, ROW_WIDTHS, SEVERAL_CURRENCIES. For a check: DUPLICATE_KEYS, MANY_DISABLED, MANY_PRICE_CHANGES, VERY_LOW_PRICES."
        code: String!
        "The column that it is about."
        column: String
        args: FlowJSON!
    }

    "A column of a file and what its values have in common."
    type FlowImportColumn {
        "From 0."
        index: Int!
        "As in the file; column1, column2 … if the file has no names of columns."
        name: String!
        type: FlowImportColumnType!
        "Values of the sample that do not fit the type."
        exceptions: Int!
        filled: Int!
        empties: Int!
        "How many different values there are; null if there are more than 10,000."
        distinct: Int
        "The most frequent value, the one with the most different shape, the first exception, and at most ten more. Masked as ••• if the caller lacks ReadFlowRecord."
        examples: [String!]!
        "A word that most values end with: Stk, kg."
        unit: String
        "ISO 4217, from the values or the name."
        currency: String
        "ISO 639-1, from the name: name_de."
        language: String
        decimals: FlowImportDecimals
        "Of dates: the format as the operator dateParse reads it."
        dateFormat: String
        "Of lists and paths: the text between two parts."
        separator: String
    }

    "What was detected about a file. It is not stored: the id names the file and the facts."
    type FlowImportProfile {
        id: String!
        fileId: ID!
        filename: String!
        "In bytes."
        size: Float!
        facts: FlowImportFacts!
        alternatives: FlowImportAlternatives!
        "Of XLSX."
        sheets: [FlowImportSheet!]!
        "How many records the whole file contains."
        rows: Int!
        columns: [FlowImportColumn!]!
        "The first rows as they are in the file, with the rows before the names of columns; at most 50 records. Values are masked as ••• if the caller lacks ReadFlowRecord, the names of columns are not."
        head: [[String!]!]!
        "The number of each row of head in the file."
        headNumbers: [Int!]!
        "ISO 639-1 of the names of columns, if it is clear."
        language: String
        warnings: [FlowImportWarning!]!
        "The known export that the file is: shopify-products."
        knownExport: String
    }

    "Where a file comes from: text, url, or connectionCode with path."
    input FlowImportSourceInput {
        "The content of the file, at most 1,000,000 characters. Upload a larger text as a file."
        text: String
        "The address of a file. Requests go through the gateway for outgoing connections, as those of pipelines do."
        url: String
        "With url: a saved HTTP connection, for its authentication. With path: a saved SFTP, FTP or object storage connection."
        connectionCode: String
        "The path of the file on that server, as listFlowImportFolder returns it."
        path: String
        "Default: the name in the address or path; for a text import.csv."
        filename: String
    }

    "A file on a server."
    type FlowImportServerFile {
        path: String!
        name: String!
        "In bytes; null if the server does not report it."
        size: Float
        modifiedAt: DateTime
    }

    "A folder on a server."
    type FlowImportFolder {
        "Paths of the folders in it that contain files."
        folders: [String!]!
        "The files in it, the newest first; at most 500."
        files: [FlowImportServerFile!]!
        "True if it contains more than is listed."
        isCut: Boolean!
    }

    "How well a target fits the columns."
    type FlowImportTargetScore {
        target: FlowImportTarget!
        "0 to 1."
        score: Float!
        "Columns that speak for it."
        columns: [String!]!
        "Permissions that an import of this target needs and the caller lacks. Of permissions joined by or, any one is enough."
        missingPermissions: [String!]!
        "How many of its entities the shop has, for example variants; null if the caller may not read them."
        existing: Int
    }

    "A column that could fill a field."
    type FlowImportAlternative {
        column: String!
        "0 to 1."
        score: Float!
    }

    "A field of the target, and the columns that fill it."
    type FlowImportFieldSuggestion {
        "As in the plan: name, name.de, price.USD, facet:Brand, option:Colour, customFields.ean."
        field: String!
        "Of a custom field: its label in the shop. Other fields are named by the page."
        label: String
        isRequired: Boolean!
        "Empty if no column fits."
        columns: [String!]!
        "0 to 1."
        score: Float!
        confidence: FlowImportConfidence!
        reasonCode: FlowImportReasonCode!
        reasonArgs: FlowJSON!
        "Other columns that could fill it, the best first."
        alternatives: [FlowImportAlternative!]!
        "Conversions of the plan, in their order."
        conversions: [FlowJSON!]!
    }

    "A column that no field uses."
    type FlowImportColumnUse {
        column: String!
        "Fields that it could fill: facet:Colour, option:Colour, customFields.ean."
        uses: [String!]!
    }

    "A custom field of the shop that the target can fill."
    type FlowImportCustomField {
        "As in the plan: customFields.ean."
        field: String!
        label: String!
        "The type of the custom field: string, int, float, boolean, datetime, text."
        type: String!
    }

    "What the plan needs to know about the channel."
    type FlowImportShop {
        languages: [String!]!
        defaultLanguage: String!
        currencies: [String!]!
        defaultCurrency: String!
        pricesIncludeTax: Boolean!
        taxCategories: [FlowImportTaxCategory!]!
        "Names of the first 500 facets."
        facets: [String!]!
        customFields: [FlowImportCustomField!]!
    }

    "A tax category and its rate in the default tax zone of the channel."
    type FlowImportTaxCategory {
        name: String!
        "Null if the zone has no rate for it."
        percent: Float
        isDefault: Boolean!
    }

    "Target, mapping and conversions for a profile."
    type FlowImportSuggestion {
        "The best first."
        targets: [FlowImportTargetScore!]!
        "True if the best target needs no question: it is a known export, or leads by 0.3."
        isTargetClear: Boolean!
        "The complete plan, which users change and saveFlowImportDraft stores."
        plan: FlowJSON!
        "Required fields first, then those with a column, then the others."
        fields: [FlowImportFieldSuggestion!]!
        unused: [FlowImportColumnUse!]!
        shop: FlowImportShop!
    }

    "How many rows have a key that exists in the shop."
    type FlowImportMatches {
        "The field by which entities are found, as in the plan."
        field: String!
        "Null if no column fills it; all numbers are then 0."
        column: String
        "Rows with a key that exists."
        existing: Int!
        "Rows with a key that does not exist."
        missing: Int!
        "Rows without a key."
        empty: Int!
        "True if the numbers are about a sample of the rows."
        isSample: Boolean!
    }

    "Why a sample was chosen."
    enum FlowImportSampleKind {
        "The most frequent value."
        USUAL
        "A value with a different shape."
        DIFFERENT
        "A value that is rejected."
        REJECTED
        OTHER
    }

    "A value before and after its conversions."
    type FlowImportSample {
        "The number of the row in the file."
        row: Int!
        kind: FlowImportSampleKind!
        "The values of the field's columns, in their order. Masked as ••• if the caller lacks ReadFlowRecord."
        before: [String!]!
        "Null if it is empty, or if the row is rejected. Amounts of money are in the smallest unit of the currency, as the loader receives them. Masked if the caller lacks ReadFlowRecord."
        after: FlowJSON
        "Why the row is rejected."
        causeCode: FlowImportCauseCode
    }

    "Samples of one field."
    type FlowImportFieldSamples {
        field: String!
        "How many samples there are."
        total: Int!
        samples: [FlowImportSample!]!
    }

    extend type Query {
        "Format, columns and sample values of a stored file. Needs ReadFlowFiles or ManageFlowFiles."
        flowImportProfile(fileId: ID!, facts: FlowImportFactsInput): FlowImportProfile!
        "Target, mapping and conversions for a profile, with a score and a reason for each field. With plan: this plan for the file, with what the suggestion says about its fields and the columns that it does not use. Needs CreateFlowPipeline, and permission to read files."
        flowImportSuggestion(profileId: String!, target: FlowImportTarget, plan: FlowJSON): FlowImportSuggestion!
        "How many rows match something in the shop. Needs CreateFlowPipeline, permission to read files, and permission to read what the target imports."
        flowImportMatches(profileId: String!, plan: FlowJSON!): FlowImportMatches!
        "Values of fields before and after their conversions, made by the operators of the pipeline: the most frequent one, a different one, a rejected one, then others. Default: 3 samples of each field of the plan. take is 1 to 20; the first 200 rows are sampled. Needs CreateFlowPipeline, and permission to read files."
        flowImportSamples(profileId: String!, plan: FlowJSON!, fields: [String!], skip: Int, take: Int): [FlowImportFieldSamples!]!
        "The conversions that the values of a column need for a field that a user chooses for it, such as facet:Brand or customFields.ean. Needs CreateFlowPipeline, and permission to read files."
        flowImportConversions(profileId: String!, target: FlowImportTarget!, field: String!, column: String!): [FlowJSON!]!
        "Unfinished imports of the user in the active channel, the newest first. A user has at most 50: a new one replaces the oldest."
        flowImportDrafts: [FlowImportDraftSummary!]!
        "An unfinished import of the user in the active channel."
        flowImportDraft(id: ID!): FlowImportDraft
        "The last check of a draft; null if there was none. Needs ReadFlowRun."
        flowImportCheck(draftId: ID!): FlowImportCheck
        "Pipelines made by imports whose columns fit a file, the best first; at most 5. Empty without ReadFlowPipeline."
        flowImportFits(profileId: String!): [FlowImportFit!]!
        "The permissions that imports need, and those that the caller lacks."
        flowImportAccess: FlowImportAccess!
    }

    extend type Mutation {
        "Reads a text, an address or a file of a server once and stores it as a file, so that profile, check and import read the same bytes. Needs ManageFlowFiles; addresses and servers also need CreateFlowPipeline."
        storeFlowImportSource(input: FlowImportSourceInput!): FlowFile!
        "Lists a folder of a saved SFTP, FTP or object storage connection. Default: the folder in which the server begins. It is a mutation, because it sends requests to another system. Needs CreateFlowPipeline."
        listFlowImportFolder(connectionCode: String!, path: String): FlowImportFolder!
        "Stores the plan of an import."
        saveFlowImportDraft(input: SaveFlowImportDraftInput!): FlowImportDraft!
        "Deletes a draft and cancels its check. False if there was none."
        discardFlowImportDraft(id: ID!): Boolean!
        "Starts a dry run of the whole file; a running one of the draft is cancelled. Needs RunFlowPipeline and what a run of the pipeline needs."
        checkFlowImport(draftId: ID!): FlowImportCheck!
        "Applies a remedy of a cause to the plan."
        applyFlowImportRemedy(draftId: ID!, version: Int!, remedy: FlowJSON!): FlowImportDraft!
        "Removes a remedy from the plan."
        undoFlowImportRemedy(draftId: ID!, version: Int!, remedy: FlowJSON!): FlowImportDraft!
        "Makes the pipeline of a draft and ends the draft. A pipeline that cannot be published is not listed, and the next attempt uses it. Needs CreateFlowPipeline, or UpdateFlowPipeline if it repeats a pipeline; SUBMITTED also UpdateFlowPipeline, PUBLISHED also PublishFlowPipeline, STARTED also RunFlowPipeline."
        createFlowImportPipeline(input: CreateFlowImportPipelineInput!): FlowImportResult!
        "Changes when the import of a pipeline is repeated, and publishes it. Needs UpdateFlowPipeline and PublishFlowPipeline."
        scheduleFlowImport(input: ScheduleFlowImportInput!): FlowPipeline!
    }
`;
