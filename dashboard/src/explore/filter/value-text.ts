export { fieldText, quoteValue } from '../../../../src/event/expression/value-text';
