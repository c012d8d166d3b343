import { graphql } from '../../gql/graphql';

export const settingsDocument = graphql(`
    query FlowSettingsInForce {
        flowSettings {
            path
            value
        }
    }
`);
