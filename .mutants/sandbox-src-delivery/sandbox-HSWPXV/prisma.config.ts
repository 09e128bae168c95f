import { defineConfig } from 'prisma/config';

// The command line of Prisma reads this; the service itself takes its address from src/config.ts.
/** `generate` never runs the schema engine, which is not on npm: any program that exists keeps it from being downloaded. */
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: 'prisma/schema.prisma',
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
