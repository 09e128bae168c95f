import { defineConfig } from 'prisma/config';

// The command line of Prisma reads this; the service itself takes its address from src/config.ts.
export default defineConfig({
  schema: 'prisma/schema.prisma',
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
