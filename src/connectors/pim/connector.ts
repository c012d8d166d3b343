import { type Connector, defineConnector } from '../../core/pipeline/connector';
import { type PimConnectorOptions, readPimOptions } from './options';
import { pimPipelines } from './pipelines';

/**
 * The connector of a product-information system, Pimcore with its DataHub, for the plugin option `connectors`: the pipelines PIM Product Sync, PIM Category
 * Sync and PIM Asset Sync. They read by the saved connection `connectionCode`, whose base URL is the
 * GraphQL endpoint. Throws OPTION_INVALID with all that is wrong with the options.
 */
export function pimConnector(options: PimConnectorOptions): Connector {
    return defineConnector({ code: 'pim', title: 'PIM (Pimcore)', pipelines: pimPipelines(readPimOptions(options)) });
}
