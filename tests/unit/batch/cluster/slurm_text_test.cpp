#include "batch/cluster/slurm_text.h"

#include <gtest/gtest.h>

namespace glyphreel::batch::slurm_text_test {
namespace {

// Lines of the configuration that Slurm 22.05.8 prints.
constexpr const char* Config = R"(Configuration data as of 2026-11-26T11:36:07
AccountingStorageBackupHost = (null)
AccountingStorageType   = accounting_storage/none
KillWait                = 5 sec
MaxArraySize            = 401
MaxJobCount             = 20000
SchedulerParameters     = batch_sched_delay=0,max_array_tasks=300,bf_interval=1
SLURM_VERSION           = 22.05.8
)";

TEST(SlurmText, ConfigurationLimitsArrays) {
  const SlurmLimits limits = parse_slurm_config(Config);
  EXPECT_EQ(limits.max_tasks, 300U);
  EXPECT_FALSE(limits.has_accounting);
}

TEST(SlurmText, MissingLimitsAreAThousandTasks) {
  EXPECT_EQ(parse_slurm_config("").max_tasks, 1000U);
  EXPECT_EQ(parse_slurm_config("MaxArraySize = 1001\n").max_tasks, 1000U);
  EXPECT_TRUE(parse_slurm_config("AccountingStorageType = accounting_storage/slurmdbd").has_accounting);
}

TEST(SlurmText, JobNumber) {
  EXPECT_EQ(parse_job_id("123\n"), "123");
  EXPECT_EQ(parse_job_id("123;cluster\n"), "123");
  EXPECT_EQ(parse_job_id("Welcome!\n77\n"), "77");
  EXPECT_EQ(parse_job_id("error"), "");
  EXPECT_EQ(parse_job_id(""), "");
}

TEST(SlurmText, ReasonsOfRefusals) {
  const std::string refused =
      "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, "
      "user's "
      "size and/or time limits)\n";
  for (const char* reason : {"AssocMaxSubmitJobLimit", "AssocGrpSubmitJobsLimit",
                             "QOSMaxSubmitJobPerUserLimit", "QOSGrpSubmitJobsLimit"})
    EXPECT_EQ(refusal_of(std::string("sbatch: error: ") + reason + "\n" + refused), Refusal::SubmitLimit);
  EXPECT_EQ(refusal_of(refused), Refusal::AccountLimit);
  EXPECT_EQ(refusal_of("sbatch: error: QOSMaxWallDurationPerJobLimit\n" + refused), Refusal::AccountLimit);
  EXPECT_EQ(refusal_of("sbatch: error: invalid partition specified: x\n"), Refusal::Other);
}

TEST(SlurmText, StatesOfSqueue) {
  const auto states = parse_task_states("1_0|COMPLETED|n1\n1_1|RUNNING|n2\n1_2|PENDING|\n1_3|NODE_FAIL|n1\n");
  ASSERT_EQ(states.size(), 4U);
  EXPECT_EQ(states[0], (TaskState{"1", 0, TaskPhase::Completed, "n1"}));
  EXPECT_EQ(states[1], (TaskState{"1", 1, TaskPhase::Running, "n2"}));
  EXPECT_EQ(states[2], (TaskState{"1", 2, TaskPhase::Pending, ""}));
  EXPECT_EQ(states[3], (TaskState{"1", 3, TaskPhase::NodeFailed, "n1"}));
}

TEST(SlurmText, StatesOfSacct) {
  const auto states = parse_task_states(
      "42_[7-8,10%4]|PENDING|None assigned\n42_1|CANCELLED by "
      "1000|node01\n42_2|TIMEOUT|node02\n42_3|OUT_OF_MEMORY|x\n");
  ASSERT_EQ(states.size(), 6U);
  EXPECT_EQ(states[0], (TaskState{"42", 7, TaskPhase::Pending, ""}));
  EXPECT_EQ(states[2], (TaskState{"42", 10, TaskPhase::Pending, ""}));
  EXPECT_EQ(states[3], (TaskState{"42", 1, TaskPhase::Cancelled, "node01"}));
  EXPECT_EQ(states[4], (TaskState{"42", 2, TaskPhase::Failed, "node02"}));
  EXPECT_EQ(states[5].phase, TaskPhase::Failed);
}

TEST(SlurmText, OtherLinesHaveNoState) {
  EXPECT_TRUE(parse_task_states("").empty());
  EXPECT_TRUE(
      parse_task_states("slurm_load_jobs error: Invalid job id specified\n12|RUNNING|n1\nx_1|RUNNING|n\n"
                        "3_[9-x]|PENDING|\n3_[1-99999999999]|PENDING|\n")
          .empty());
}

TEST(SlurmText, Times) {
  EXPECT_EQ(parse_slurm_time("90"), 5400);
  EXPECT_EQ(parse_slurm_time("1:30"), 90);
  EXPECT_EQ(parse_slurm_time("1:30:00"), 5400);
  EXPECT_EQ(parse_slurm_time("2-12"), 2.5 * 86400);
  EXPECT_EQ(parse_slurm_time("1-00:30"), 86400 + 1800);
  EXPECT_EQ(parse_slurm_time("1-02:03:04\n"), 86400 + 7384);
  for (const char* text : {"", "UNLIMITED", "1:2:3:4", "x", "1-", "-5"})
    EXPECT_FALSE(parse_slurm_time(text)) << text;
}

TEST(SlurmText, ScriptNamesWhatIsGiven) {
  const std::string script = sbatch_script({.name = "glyphreel-x-1",
                                            .program = "/opt/my bin/glyphreel",
                                            .folder = "/data/100%/round-1",
                                            .output = "/data/100%",
                                            .tasks = 8,
                                            .tasks_at_a_time = 4,
                                            .threads = 2,
                                            .gres = "gpu:1",
                                            .excluded = {"n1", "n7"}});
  for (const char* line :
       {"#SBATCH --array=0-7%4\n", "#SBATCH --cpus-per-task=2\n", "#SBATCH --gres=gpu:1\n",
        "#SBATCH --exclude=n1,n7\n", "#SBATCH --output=\"/data/100%%/round-1/%a.log\"\n",
        "#SBATCH --signal=B:USR1@180\n", "#SBATCH --requeue\n", "#SBATCH --open-mode=append\n",
        "exec \"/opt/my bin/glyphreel\" batch --no-config --task "
        "\"/data/100%/round-1\"/\"$SLURM_ARRAY_TASK_ID\".json "
        "-o \"/data/100%\"\n"})
    EXPECT_NE(script.find(line), std::string::npos) << line << script;
  EXPECT_EQ(script.find("--partition"), std::string::npos);
  EXPECT_EQ(script.find("--time"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::batch::slurm_text_test
