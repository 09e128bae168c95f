// Imported first: GraphQL decides when it is loaded whether to run its slower development checks.
process.env.NODE_ENV ||= 'production';
