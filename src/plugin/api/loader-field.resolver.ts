import { Inject, UseFilters } from '@nestjs/common';
import { Query, Resolver } from '@nestjs/graphql';
import { Allow, ConfigService, Ctx, type CustomFieldConfig, RequestContext } from '@vendure/core';
import { loaderPaths } from '../../core/adapter/loader-paths';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { flowPipelinePermission } from '../permissions';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { DecodedArgs } from './decoded-args';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** Lists the fields that a record may have for a load step. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class LoaderFieldResolver {
    constructor(
        private readonly configuration: ConfigService,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowLoaderFields(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { adapterCode, config = {} }: { adapterCode: string; config?: JsonValue | null },
    ): readonly string[] {
        const loader = this.setup.registry.find('loader', adapterCode);
        if (!loader?.fields || !isJsonObject(config)) return [];
        const { adapterCode: _code, ...settings } = config;
        const parsed = [settings, {}].map(given => loader.config.safeParse(given)).find(({ success }) => success);
        if (!parsed?.success) return [];
        const names = parsed.data as Readonly<Record<string, unknown>>;
        const { defaultLanguageCode, availableLanguageCodes = [] } = ctx.channel;
        const fields = this.customFieldsOf(loader.customFieldsOf);
        return loaderPaths(
            loader.fields(parsed.data),
            {
                custom: fields.map(({ name }) => name),
                localised: fields.filter(({ type }) => type.startsWith('locale')).map(({ name }) => name),
                languages: (availableLanguageCodes ?? []).filter(language => language !== defaultLanguageCode),
            },
            {
                customFields: String(names['customFieldsField'] ?? 'customFields'),
                translations: String(names['translationsField'] ?? 'translations'),
            },
        );
    }

    private customFieldsOf(entity: string | undefined): readonly CustomFieldConfig[] {
        if (entity === undefined) return [];
        return (
            (this.configuration.customFields as Readonly<Record<string, readonly CustomFieldConfig[]>>)[entity] ?? []
        );
    }
}
