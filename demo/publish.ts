import type { PipelineSource } from '../src';
import { type AdminApi } from './admin-api';

/** Makes a pipeline in the database and publishes it, as people do; answers its id. */
export async function publishPipeline(
    api: AdminApi,
    { code, name, description, definition }: PipelineSource,
): Promise<string> {
    const { createFlowPipeline: made } = await api.ask<{ createFlowPipeline: { id: string; version: number } }>(
        'mutation($input: CreateFlowPipelineInput!) { createFlowPipeline(input: $input) { id version } }',
        { input: { code, name, description, definition } },
    );
    await api.ask('mutation($id: ID!, $version: Int!) { publishFlowPipeline(id: $id, version: $version) { id } }', {
        ...made,
    });
    return made.id;
}
