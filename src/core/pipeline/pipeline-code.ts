import { clause, type FactText } from '../errors/rendered';
import { show } from '../value/show';

const PIPELINE_CODE = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_LENGTH = 64;

/** What is wrong with the code of a pipeline, which forms its webhook path; undefined when nothing is. */
export function pipelineCodeProblem(code: string): FactText | undefined {
    if (code.length <= MAX_LENGTH && PIPELINE_CODE.test(code)) return undefined;
    return clause`The pipeline code ${show(code)} is not allowed; use at most ${MAX_LENGTH} lower case letters and digits, with single hyphens between them`;
}
