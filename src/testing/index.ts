/** For tests of custom adapters, steps and pipelines: no shop, no database, any test runner. */
export type { ContractCheck, ContractContext } from './contract';
export { connectionContract } from './connection-contract';
export { extractorContract } from './extractor-contract';
export { type FakeNetwork, fakeOutbound, type FakeStream } from './fake-outbound';
export { operatorContract } from './operator-contract';
export type { ExtractorReading } from './reading-checks';
export { ruleContract } from './rule-contract';
export { sinkContract } from './sink-contract';
export type { SinkHarness } from './sink-harness';
export type { CustomSink, SinkContext, SinkField, SinkRecordError, SinkResult } from '../core/adapter/custom-sink';
export { loaderContract, type LoaderShop } from './loader-contract';
export {
    type OperatorTest,
    type OperatorTestRun,
    type PipelineTest,
    type PipelineTestInput,
    runOperator,
    runPipeline,
    runStep,
    type StepTestResult,
    type StepTestRun,
    type TestReject,
} from './run';
export type { TestContext } from './execution';
export type { ProvidedSecret } from './provided-resources';
export type { TestGateAnswer, TestGateAnswers, TestGateDecision } from './gates';
